/** Everything by which one process tells what it does: its log, its counters, its load, and spans where they are asked for. */
import { currentCall, withCall } from "./context.ts";
import { newCall, withinSpan } from "./correlation.ts";
import { createLogs, type Log, type LogsOptions } from "./log.ts";
import type { LogLevel } from "./log-level.ts";
import { createMeter, type Meter } from "./meter.ts";
import { type OtelOptions, openOtel } from "./otel.ts";
import { type LoadMonitor, watchLoad } from "./process-load.ts";
import type { Tracing } from "./tracing.ts";

export interface Telemetry extends AsyncDisposable {
  readonly meter: Meter;
  readonly load: LoadMonitor;
  readonly tracing: Tracing | undefined;
  logOf(server: string): Log;
  /** Least level of lines that are written. */
  readonly level: LogLevel;
  /** Runs a call of the client as a span; undefined where nothing records spans. */
  readonly around: AroundCall | undefined;
}

export type AroundCall = <T>(call: { target: string; kind: string }, send: () => Promise<T>) => Promise<T>;

export interface TelemetryOptions extends LogsOptions {
  /** Export over OpenTelemetry; absent: none. */
  otel?: OtelOptions;
}

export function createTelemetry(options: TelemetryOptions): Telemetry {
  const logs = createLogs(options);
  const load = watchLoad();
  const { tracing, metrics } =
    options.otel === undefined ? {} : openOtel(options.otel, { log: logs.of("telemetry", "info"), meter: () => meter, load });
  const meter: Meter = createMeter(metrics?.served);
  return {
    meter,
    load,
    tracing,
    level: options.level,
    logOf: (server) => logs.of(server),
    around: tracing && ((call, send) => inClientSpan(tracing, call, send)),
    async [Symbol.asyncDispose]() {
      load.stop();
      await Promise.all([tracing?.shutdown(), metrics?.shutdown()]);
    },
  };
}

async function inClientSpan<T>(tracing: Tracing, { target, kind }: { target: string; kind: string }, send: () => Promise<T>): Promise<T> {
  const call = currentCall() ?? newCall("");
  const span = tracing.start({
    kind: "client",
    name: `${kind} ${target}`,
    server: call.server,
    group: kind === "model" ? "model_call" : undefined,
    traceparent: call.isRoot ? undefined : call.traceparent,
    facts: { "peer.service": target, "gym.call.kind": kind, "gym.rollout.id": call.rolloutId, "gym.request.id": call.requestId },
  });
  if (span === undefined) return send();
  let status = 0;
  try {
    const reply = await withCall(withinSpan(call, span.trace), send);
    status = (reply as { status?: number }).status ?? 0;
    return reply;
  } finally {
    span.end(status);
  }
}
