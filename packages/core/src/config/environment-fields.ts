/** Settings that the environment servers of NeMo Gym need before they can run an episode. */

import { wholeNumber } from "./dataset-entry.ts";
import { get, isNull, type MapNode } from "./node.ts";

/** Implementations that run episodes themselves; a relay has defaults. */
const EPISODE_RUNNERS = new Set(["single_agent_turn", "single_agent_turn_legacy"]);

/** What is wrong, by field. */
export function checkEnvironmentFields(implementation: string, fields: MapNode): { field: string; message: string }[] {
  if (!EPISODE_RUNNERS.has(implementation)) return [];
  const out: { field: string; message: string }[] = [];
  const cleanup = get(fields, "cleanup_timeout_seconds");
  if (cleanup === undefined || isNull(cleanup))
    out.push({ field: "cleanup_timeout_seconds", message: "is required: seconds that the clean-up of an episode may take" });
  else if (cleanup.kind !== "scalar" || !(typeof cleanup.value === "string" || Number(cleanup.value) > 0))
    out.push({ field: "cleanup_timeout_seconds", message: "must be more than 0" });
  const limit = get(fields, "max_concurrent_episodes");
  if (limit !== undefined && !isNull(limit)) {
    if (limit.kind === "scalar" && !(Number(wholeNumber(limit.value)) > 0))
      out.push({ field: "max_concurrent_episodes", message: "must be a whole number above 0" });
    if (get(fields, "queue_timeout_seconds") === undefined)
      out.push({ field: "queue_timeout_seconds", message: "is required beside max_concurrent_episodes" });
  }
  return out;
}
