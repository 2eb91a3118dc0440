/** Rows as they travel: JSON objects with reserved keys. Everything not named here passes through untouched. */
import { isRecord, type Row } from "../jsonl/index.ts";
import { isRolloutId } from "../protocol/index.ts";

export { isRecord, type Row };

/** Which rollout: the task (an integer unless the caller chose otherwise) and the repeat within it. */
export interface RolloutKey {
  task: unknown;
  rollout: unknown;
}

/** Both indices of a row, or undefined where one is absent. */
export function keyOf(row: Row): RolloutKey | undefined {
  if (row._ng_task_index === undefined || row._ng_rollout_index === undefined) return undefined;
  return { task: row._ng_task_index, rollout: row._ng_rollout_index };
}

/** The name in `agent_ref`; a null, empty or nameless one counts as absent. */
export function agentOf(row: Row): string | undefined {
  const ref = row.agent_ref;
  return isRecord(ref) && typeof ref.name === "string" && ref.name !== "" ? ref.name : undefined;
}

export function taskSourceOf(row: Row): string | undefined {
  return typeof row.task_source === "string" && row.task_source !== "" ? row.task_source : undefined;
}

export function environmentServerOf(row: Row): string | undefined {
  return typeof row._ng_environment_server === "string" ? row._ng_environment_server : undefined;
}

/** Truth as Python sees it, for flags that foreign servers write. */
export function isTruthy(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isRecord(value)) return Object.keys(value).length > 0;
  return Boolean(value);
}

export function isMasked(row: Row): boolean {
  return isTruthy(row.mask_sample);
}

/** Why an explicit `_ng_rollout_id` cannot be used, or undefined. An id becomes part of a path. */
export function rolloutIdProblem(row: Row): string | undefined {
  const id = row._ng_rollout_id;
  if (id === undefined || id === null) return undefined;
  if (isRolloutId(id)) return undefined;
  return `_ng_rollout_id must be text of letters, digits, dots, dashes and underscores that starts with a letter or digit, got ${JSON.stringify(id)}`;
}
