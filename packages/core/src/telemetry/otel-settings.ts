/** The `telemetry` block as it is meant. Whatever stands in it, it is no error: what cannot be done is said, and nothing is exported. */

export interface OtelSettings {
  serviceName: string;
  /** Each server is a service of its own, `<service_name>-<server>`. */
  perServer: boolean;
  traces: boolean;
  metrics: boolean;
  exporter: "otlp" | "console";
  /** Base address, `/v1/traces` and `/v1/metrics` not included; undefined: as the environment says (`OTEL_EXPORTER_OTLP_*`), else this machine. */
  endpoint: string | undefined;
  headers: Record<string, string>;
  groups: ReadonlySet<string>;
  runId: string | undefined;
}

export interface OtelChoice {
  settings?: OtelSettings;
  /** Why nothing is exported although it was asked for. */
  problem?: string;
}

const DEFAULT_SERVICE_NAME = "nemo-gym";

/** `env`: what the reference's children are told, and OpenTelemetry's own variables. Neither settings nor problem: it is off. */
export function otelChoice(block: unknown, env: Readonly<Record<string, string | undefined>>): OtelChoice {
  if (typeof block !== "object" || block === null || Array.isArray(block)) return {};
  const given = block as Record<string, unknown>;
  if (!flag(given.enabled, false)) return {};
  const exporter = text(given.exporter) ?? "otlp";
  if (exporter !== "otlp" && exporter !== "console")
    return { problem: `there is no exporter ${JSON.stringify(exporter)}, only otlp and console` };
  const protocol = text(given.otlp_protocol) ?? env.OTEL_EXPORTER_OTLP_PROTOCOL;
  if (exporter === "otlp" && protocol === "grpc")
    return {
      problem:
        "OTLP is sent over HTTP only: set otlp_protocol to http/protobuf or http/json, and the endpoint to the port for it (usually 4318)",
    };
  const endpoint = text(given.otlp_endpoint);
  if (endpoint !== undefined && !/^https?:\/\/[^/]/.test(endpoint)) return { problem: "otlp_endpoint is no http or https address" };
  return {
    settings: {
      serviceName: env.OTEL_SERVICE_NAME ?? text(given.service_name) ?? DEFAULT_SERVICE_NAME,
      perServer: flag(given.service_name_per_server, true),
      traces: flag(given.traces_enabled, true),
      metrics: flag(given.metrics_enabled, true),
      exporter,
      endpoint: endpoint?.replace(/\/+$/, ""),
      headers: headersOf(given.otlp_headers),
      groups: new Set(listOf(given.span_groups ?? "default")),
      runId: text(given.run_id) ?? env.SLURM_JOB_ID,
    },
  };
}

function flag(value: unknown, otherwise: boolean): boolean {
  if (value === undefined || value === null) return otherwise;
  return value === true || value === 1 || value === "true" || value === "1";
}

function text(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

function listOf(value: unknown): string[] {
  const items = Array.isArray(value) ? value : String(value).split(",");
  return items.map((item) => String(item).trim()).filter((item) => item !== "");
}

/** A mapping, or `name=value,name=value` as in `OTEL_EXPORTER_OTLP_HEADERS`. */
function headersOf(value: unknown): Record<string, string> {
  const headers: Record<string, string> = {};
  const add = (name: string, content: string): void => {
    if (/^[\w-]+$/.test(name) && /^[\t\x20-\x7e]*$/.test(content)) headers[name.toLowerCase()] = content;
  };
  if (typeof value === "string") {
    for (const pair of value.split(",")) {
      const at = pair.indexOf("=");
      if (at > 0) add(pair.slice(0, at).trim(), pair.slice(at + 1).trim());
    }
  } else if (typeof value === "object" && value !== null) {
    for (const [name, content] of Object.entries(value)) if (typeof content === "string") add(name, content);
  }
  return headers;
}
