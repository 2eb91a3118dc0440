/** Task rows travel as episode requests and come back as an envelope; files hold flat records. */
import { isCollectorKey } from "../protocol/index.ts";
import { isRecord, isTruthy, keyOf, type Row } from "./row.ts";

/** @throws Error where the row cannot be an episode */
export function episodeRequest(row: Row): Row {
  const attempt = row._ng_attempt_index ?? 0;
  if (typeof attempt !== "number" || !Number.isInteger(attempt) || attempt < 0)
    throw new Error(`_ng_attempt_index must be a whole number, got ${JSON.stringify(attempt)}`);
  const key = keyOf(row);
  const id = typeof row._ng_rollout_id === "string" ? row._ng_rollout_id : key === undefined ? undefined : `${key.task}-${key.rollout}`;
  if (id === undefined) throw new Error("an episode needs a rollout id or both indices");
  if (/-a[1-9]\d*$/.test(id)) throw new Error(`the rollout id '${id}' ends like an attempt number`);
  return { episode_id: { rollout_id: id, attempt }, task: { task_id: row.task_id, task_input: row.task_input } };
}

/**
 * The flat record of an episode's answer: a result's fields at the top, or a failure row.
 * @throws Error where the envelope breaks its contract
 */
export function episodeRecord(reply: unknown): Row {
  if (!isRecord(reply)) throw new Error("the answer is not an object");
  const stamp = { _ng_task_id: reply.task_id };
  if (Object.hasOwn(reply, "failure") && reply.failure !== null && reply.failure !== undefined) {
    if (!isRecord(reply.failure)) throw new Error("'failure' is not an object");
    const { failure_reason, terminal, failure_kind, stage, partial_response } = reply.failure;
    const row: Row = {
      ...stamp,
      _ng_failure_class: "environment_server_failed",
      _ng_failure_terminal: isTruthy(terminal),
      _ng_failure_message: failure_reason,
    };
    if (stage !== undefined && stage !== null) row._ng_failure_stage = stage;
    if (partial_response !== undefined && partial_response !== null) row._ng_failure_partial_response = partial_response;
    if (typeof failure_kind === "string") row.failure_kind = failure_kind;
    return row;
  }
  if (!isRecord(reply.result)) throw new Error("the answer has neither a 'result' object nor a 'failure'");
  const reserved = Object.keys(reply.result).filter(isCollectorKey);
  if (reserved.length > 0) throw new Error(`the result uses reserved keys: ${reserved.join(", ")}`);
  return { ...reply.result, ...stamp };
}
