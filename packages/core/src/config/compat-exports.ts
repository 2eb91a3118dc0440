/** Environment variables that NeMo Gym sets for its children; a Python server that we start expects them. */
import type { LoadedConfig } from "./types.ts";

export interface ExportOptions {
  env: Record<string, string | undefined>;
  offline?: boolean;
}

/** Telemetry setting -> variable and default. */
const TELEMETRY: [key: string, variable: string, otherwise: boolean | string][] = [
  ["service_name_per_server", "NEMO_GYM_OTEL_SERVICE_NAME_PER_SERVER", true],
  ["span_groups", "NEMO_GYM_OTEL_SPAN_GROUPS", "default"],
  ["traces_enabled", "NEMO_GYM_OTEL_TRACES_ENABLED", true],
  ["metrics_enabled", "NEMO_GYM_OTEL_METRICS_ENABLED", true],
  ["logs_enabled", "NEMO_GYM_OTEL_LOGS_ENABLED", false],
  ["instrument_aiohttp", "NEMO_GYM_OTEL_INSTRUMENT_AIOHTTP", true],
  ["exporter", "NEMO_GYM_OTEL_EXPORTER", "otlp"],
];
const OTLP: [key: string, variable: string][] = [
  ["otlp_endpoint", "OTEL_EXPORTER_OTLP_ENDPOINT"],
  ["otlp_protocol", "OTEL_EXPORTER_OTLP_PROTOCOL"],
  ["otlp_headers", "OTEL_EXPORTER_OTLP_HEADERS"],
];

/** Variables of one configuration; those that the environment has already win, except for the package cache. */
export function exportedVariables(config: LoadedConfig, { env, offline = false }: ExportOptions): Record<string, string> {
  const out: Record<string, string> = {};
  if (!offline) {
    const cache = config.get("uv_cache_dir");
    const lock = config.get("uv_lock_timeout_seconds");
    if (cache !== undefined && cache !== null) out.UV_CACHE_DIR = String(cache);
    if (lock !== undefined && lock !== null) out.UV_LOCK_TIMEOUT = String(lock);
  }
  const telemetry = config.get<Record<string, unknown>>("telemetry");
  if (telemetry === undefined || telemetry === null || typeof telemetry !== "object" || telemetry.enabled !== true) return out;
  for (const [name, value] of Object.entries(telemetryVariables(telemetry, env))) out[name] = env[name] ?? value;
  return out;
}

function telemetryVariables(telemetry: Record<string, unknown>, env: Record<string, string | undefined>): Record<string, string> {
  const out: Record<string, string> = { NEMO_GYM_OTEL_ENABLED: "1", OTEL_SERVICE_NAME: String(telemetry.service_name ?? "nemo-gym") };
  for (const [key, variable, otherwise] of TELEMETRY) out[variable] = flag(telemetry[key] ?? otherwise);
  const memory = (telemetry.memory_profiling ?? {}) as Record<string, unknown>;
  out.NEMO_GYM_OTEL_MEMORY_PROFILING_ENABLED = flag(memory.enabled ?? false);
  out.NEMO_GYM_OTEL_MEMORY_PROFILING_INTERVAL_SECONDS = decimal(Number(memory.interval_seconds ?? 1));
  const run = telemetry.run_id ?? env.SLURM_JOB_ID;
  if (run !== undefined && run !== null) out.NEMO_GYM_OTEL_RUN_ID = String(run);
  for (const [key, variable] of OTLP) if (telemetry[key] !== undefined && telemetry[key] !== null) out[variable] = String(telemetry[key]);
  return out;
}

function flag(value: unknown): string {
  if (Array.isArray(value)) return value.join(",");
  return typeof value === "boolean" ? (value ? "1" : "0") : String(value);
}

function decimal(value: number): string {
  return Number.isInteger(value) ? value.toFixed(1) : String(value);
}
