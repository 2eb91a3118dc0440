/** What a configuration says about the client: its limits and its retry policy. Every process of a run makes its client with it. */
import { type ClientLimits, clientLimits, numberOf } from "./limits.ts";
import { type RetryPolicy, retryPolicy } from "./retry-policy.ts";

export interface ClientSettings {
  limits: ClientLimits;
  policy: RetryPolicy;
}

/** `get` gives the value of a top-level key, which was checked when it was loaded. */
export function clientSettings(get: (key: string) => unknown): ClientSettings {
  const maxConnections = get("http_max_connections") ?? capOf(get("global_aiohttp_connector_limit"));
  const perOrigin = get("http_max_connections_per_origin") ?? capOf(get("global_aiohttp_connector_limit_per_host"));
  const caps: Record<string, unknown> = { http_max_connections: maxConnections, http_max_connections_per_origin: perOrigin };
  return { limits: clientLimits((key) => caps[key] ?? get(key)), policy: retryPolicy(get) };
}

/** The reference's caps: 0 = no limit. */
function capOf(value: unknown): number | undefined {
  const cap = numberOf(value);
  return cap === 0 ? Number.POSITIVE_INFINITY : cap;
}
