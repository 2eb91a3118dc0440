/** Where spans and metrics go: over OTLP/HTTP, or as lines of the log. What cannot be sent is told once in a while and dropped. */
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import type { Resource } from "@opentelemetry/resources";
import type { PushMetricExporter } from "@opentelemetry/sdk-metrics";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import { outsideCalls, withCall } from "./context.ts";
import type { Log } from "./log.ts";
import type { OtelSettings } from "./otel-settings.ts";

/** Longest try to send one batch. */
const SEND_TIMEOUT_MS = 5_000;
/** Longest wait for what is left at the end. */
const LAST_SEND_MS = 2_000;
/** Time between two lines about what cannot be sent. */
const PROBLEM_EVERY_MS = 60_000;

const require = createRequire(import.meta.url);

export interface OtelExport {
  spans(): SpanExporter;
  /** Undefined where metrics have nowhere to go. */
  metrics(): PushMetricExporter | undefined;
  resource(service: string): Resource;
  /** Waits for the end of a last send, but not long; never throws. */
  within(work: Promise<unknown>): Promise<void>;
}

export function createOtelExport(settings: OtelSettings, { log, runId }: { log: Log; runId: string }): OtelExport {
  const { resourceFromAttributes } = require("@opentelemetry/resources") as typeof import("@opentelemetry/resources");
  const { endpoint, headers } = settings;
  const options = (path: string) => ({
    ...(endpoint === undefined ? {} : { url: `${endpoint}${path}` }),
    headers,
    timeoutMillis: SEND_TIMEOUT_MS,
  });
  let nextLine = 0;
  const tell = (error: Error | undefined): void => {
    if (performance.now() < nextLine) return;
    nextLine = performance.now() + PROBLEM_EVERY_MS;
    const why = error?.message || "no reason given";
    outsideCalls(() => log.warn(`telemetry cannot be sent to ${endpoint ?? "the OTLP endpoint"}: ${why}; the run goes on without it`));
  };

  return {
    spans() {
      if (settings.exporter === "console") return spansToLog(log);
      const { OTLPTraceExporter } =
        require("@opentelemetry/exporter-trace-otlp-http") as typeof import("@opentelemetry/exporter-trace-otlp-http");
      return told(new OTLPTraceExporter(options("/v1/traces")), tell);
    },
    metrics() {
      if (settings.exporter === "console") return undefined;
      const { OTLPMetricExporter } =
        require("@opentelemetry/exporter-metrics-otlp-http") as typeof import("@opentelemetry/exporter-metrics-otlp-http");
      return told(new OTLPMetricExporter(options("/v1/metrics")), tell);
    },
    resource: (service) => resourceFromAttributes({ "service.name": service, "gym.run.id": runId, "process.pid": process.pid }),
    async within(work) {
      const done = new AbortController();
      await Promise.race([work.catch(() => {}), sleep(LAST_SEND_MS, undefined, { signal: done.signal }).catch(() => {})]);
      done.abort();
    },
  };
}

interface Exporter<Batch> {
  export(batch: Batch, done: (result: { code: number; error?: Error }) => void): void;
}

/** The same exporter; its failures are told. */
function told<Batch, E extends Exporter<Batch>>(exporter: E, tell: (error: Error | undefined) => void): E {
  const send = exporter.export.bind(exporter);
  exporter.export = (batch, done) =>
    send(batch, (result) => {
      if (result.code !== 0) tell(result.error);
      done(result);
    });
  return exporter;
}

function spansToLog(log: Log): SpanExporter {
  return {
    export(spans, done) {
      for (const span of spans) {
        const { traceId, spanId } = span.spanContext();
        const ms = Math.round((span.duration[0] * 1_000 + span.duration[1] / 1e6) * 10) / 10;
        const { "gym.request.id": _request, "gym.rollout.id": _rollout, ...facts } = span.attributes;
        const parent = span.parentSpanContext?.spanId;
        withinCallOf(span, () => log.info(`span ${span.name}`, { trace: traceId, span: spanId, parent, ms, ...facts }));
      }
      done({ code: 0 });
    },
    shutdown: async () => {},
  };
}

/** Batches are sent later, from a timer that some other call began: a span's line names the call that the span is of. */
function withinCallOf({ attributes }: ReadableSpan, tell: () => void): void {
  const { "gym.request.id": requestId, "gym.rollout.id": rolloutId } = attributes as Record<string, string | undefined>;
  if (requestId === undefined) outsideCalls(tell);
  else withCall({ requestId, rolloutId, server: "", traceparent: "" }, tell);
}
