/** What collection writes over every result, so that a file says by itself which rollout a line is and who ran it. */

import type { EnvironmentServer } from "./routing.ts";
import { agentOf, type Row } from "./row.ts";

/** A copy of the result with the row's identity; keys that are there keep their place, new ones follow in this order. */
export function stamped(result: Row, row: Row, server: EnvironmentServer): Row {
  const out: Row = { ...result, _ng_task_index: row._ng_task_index, _ng_rollout_index: row._ng_rollout_index };
  if (agentOf(row) !== undefined) out.agent_ref = row.agent_ref;
  else if (server.agent !== undefined && row.task_input === undefined) out.agent_ref = { name: server.agent };
  for (const key of ["task_source", "skills_ref", "_ng_attempt_index", "_ng_rollout_id"]) if (row[key] !== undefined) out[key] = row[key];
  out._ng_environment_server = server.name;
  out._ng_result_type = server.type;
  return out;
}
