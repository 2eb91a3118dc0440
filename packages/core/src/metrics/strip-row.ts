/** What of a result goes into `/aggregate_metrics`: everything but the conversation and the observability payloads. */
import { isMap } from "./row-fields.ts";
import type { Row } from "./types.ts";

const DROPPED = new Set(["response", "responses_create_params", "ng_agent_observations", "ng_model_call_capture", "ng_trajectory"]);
const KEPT_OF_RESPONSE = ["usage", "incomplete_details"] as const;

/** A shallow copy; `response` comes last and holds `usage` and `incomplete_details` where they are not null. */
export function stripForMetrics(row: Row): Row {
  const stripped: Record<string, unknown> = Object.fromEntries(Object.entries(row).filter(([name]) => !DROPPED.has(name)));
  const response = isMap(row.response) ? row.response : {};
  const rest = KEPT_OF_RESPONSE.filter((name) => response[name] !== undefined && response[name] !== null);
  if (rest.length > 0) stripped.response = Object.fromEntries(rest.map((name) => [name, response[name]]));
  return stripped;
}
