/** Spans over OpenTelemetry. Loaded only where the configuration asks for it; everything is bounded, and a collector that is dead disturbs nobody. */
import { createRequire } from "node:module";
import type { Tracer } from "@opentelemetry/api";
import type { SpanProcessor } from "@opentelemetry/sdk-trace";
import type { OtelExport } from "./otel-export.ts";
import type { OtelSettings } from "./otel-settings.ts";
import { parseTraceparent } from "./trace-context.ts";
import type { Span, SpanStart, Tracing } from "./tracing.ts";

/** Spans that wait to be sent; further ones are dropped. */
const MAX_WAITING_SPANS = 8_192;
const MAX_BATCH_SPANS = 512;
const SEND_EVERY_MS = 1_000;

const require = createRequire(import.meta.url);

export function openTracing(settings: OtelSettings, sink: OtelExport): Tracing {
  const api = require("@opentelemetry/api") as typeof import("@opentelemetry/api");
  const { BatchSpanProcessor, TracerProvider } = require("@opentelemetry/sdk-trace") as typeof import("@opentelemetry/sdk-trace");
  const processor: SpanProcessor = new BatchSpanProcessor({
    exporter: sink.spans(),
    maxQueueSize: MAX_WAITING_SPANS,
    maxExportBatchSize: MAX_BATCH_SPANS,
    scheduledDelayMillis: SEND_EVERY_MS,
  });
  const tracers = new Map<string, Tracer>();

  /** A service is a property of all that a provider records, so there is one for each; they share what sends. */
  function tracerOf(server: string): Tracer {
    const service = settings.perServer && server !== "" ? `${settings.serviceName}-${server}` : settings.serviceName;
    let tracer = tracers.get(service);
    if (tracer === undefined) {
      tracer = new TracerProvider({ resource: sink.resource(service), spanProcessors: [processor] }).getTracer("ng-gym");
      tracers.set(service, tracer);
    }
    return tracer;
  }

  return {
    start(wish) {
      if (!isWanted(wish, settings.groups)) return undefined;
      const parent = parseTraceparent(wish.traceparent);
      const { traceId = "", spanId = "", sampled = true } = parent ?? {};
      const remote = { traceId, spanId, traceFlags: sampled ? 1 : 0, isRemote: wish.kind === "server" };
      const context = parent === undefined ? api.ROOT_CONTEXT : api.trace.setSpanContext(api.ROOT_CONTEXT, remote);
      const kind = wish.kind === "server" ? api.SpanKind.SERVER : api.SpanKind.CLIENT;
      const span = tracerOf(wish.server).startSpan(wish.name, { kind, attributes: wish.facts }, context);
      const made = span.spanContext();
      return {
        trace: { traceId: made.traceId, spanId: made.spanId, sampled: (made.traceFlags & 1) === 1 },
        end(status) {
          if (status > 0) span.setAttribute("http.response.status_code", status);
          if (status === 0 || status >= 500) span.setStatus({ code: api.SpanStatusCode.ERROR });
          span.end();
        },
      } satisfies Span;
    },
    shutdown: () => sink.within(processor.shutdown()),
  };
}

/** Groups of the reference, as far as there is such a span here; `default` and `all` are all of them. */
function isWanted({ kind, group }: SpanStart, groups: ReadonlySet<string>): boolean {
  if (groups.has("all") || groups.has("default")) return true;
  return groups.has(kind === "server" ? "server" : "http_client") || (group !== undefined && groups.has(group));
}
