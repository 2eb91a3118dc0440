/** Export over OpenTelemetry, as the configuration wishes. Its packages are loaded here and only where it does. */
import { messageOf } from "../errors/index.ts";
import type { Log } from "./log.ts";
import type { Meter } from "./meter.ts";
import { createOtelExport } from "./otel-export.ts";
import { type OtelMetrics, openMetrics } from "./otel-metrics.ts";
import { otelChoice } from "./otel-settings.ts";
import { openTracing } from "./otel-tracing.ts";
import type { LoadMonitor } from "./process-load.ts";
import type { Tracing } from "./tracing.ts";

export interface OtelOptions {
  /** The `telemetry` block. */
  block: unknown;
  env: Readonly<Record<string, string | undefined>>;
  /** Of the run where neither block nor environment has one. */
  runId: string;
}

export interface Otel {
  tracing?: Tracing | undefined;
  metrics?: OtelMetrics | undefined;
}

/** Never throws: what cannot be loaded is told, and nothing is exported. */
export function openOtel({ block, env, runId }: OtelOptions, of: { log: Log; meter: () => Meter; load: LoadMonitor }): Otel {
  const { settings } = otelChoice(block, env);
  if (settings === undefined) return {};
  try {
    const sink = createOtelExport(settings, { log: of.log, runId: settings.runId ?? runId });
    return {
      tracing: settings.traces ? openTracing(settings, sink) : undefined,
      metrics: settings.metrics ? openMetrics(settings, sink, of) : undefined,
    };
  } catch (error) {
    of.log.warn(`telemetry is off: ${messageOf(error)}`);
    return {};
  }
}
