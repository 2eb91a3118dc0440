/** `telemetry`: the call that is being answered, logs, metrics, traces. See README.md. */
export { type CallContext, currentCall, withCall } from "./context.ts";
export { newCall, outgoingHeaders, REQUEST_ID_HEADER, ROLLOUT_HEADER, receivedCall, withinSpan } from "./correlation.ts";
export { LATENCY_BOUNDS_S } from "./latencies.ts";
export type { Log, LogFacts, LogLine } from "./log.ts";
export { toLog } from "./log.ts";
export { type LogEntry, logText, parseLogEntry } from "./log-entry.ts";
export { LOG_LEVELS, type LogLevel, type LogSettings, logSettings } from "./log-level.ts";
export { createMeter, type LatencySeries, type Meter, type ServerMeter } from "./meter.ts";
export { otelChoice } from "./otel-settings.ts";
export { type LoadMonitor, watchLoad } from "./process-load.ts";
export { createTelemetry, type Telemetry, type TelemetryOptions } from "./telemetry.ts";
export type { Span } from "./tracing.ts";
