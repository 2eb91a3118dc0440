/** Rows of the JSONL files: which keys are reserved, and how a row names its rollout. */
import { GymError } from "../errors/index.ts";
import type { FailureKind } from "./failures.ts";
import { isRolloutId } from "./ids.ts";
import type { ResponsesRequest } from "./responses-request.ts";
import type { ModelResponse } from "./responses-response.ts";

/** Reserved keys of rows and results. */
export const ROW_KEYS = {
  taskIndex: "_ng_task_index",
  rolloutIndex: "_ng_rollout_index",
  attemptIndex: "_ng_attempt_index",
  rolloutId: "_ng_rollout_id",
  taskId: "_ng_task_id",
  environmentServer: "_ng_environment_server",
  resultType: "_ng_result_type",
  noPersist: "_ng_no_persist",
  tokenCapture: "_ng_token_capture",
  dispatchDrained: "_ng_dispatch_drained",
  failureClass: "_ng_failure_class",
  failureTerminal: "_ng_failure_terminal",
  failureType: "_ng_failure_type",
  failureMessage: "_ng_failure_message",
  failureStage: "_ng_failure_stage",
  failureBoundary: "_ng_failure_boundary",
  failureAttempts: "_ng_failure_attempts",
  failureHttpStatus: "_ng_failure_http_status",
  failureResponseBody: "_ng_failure_response_body",
  failureJudgeError: "_ng_failure_judge_error",
  failurePartialResponse: "_ng_failure_partial_response",
} as const;

/** Task and rollout numbers are integers, but a caller may name its own tasks. */
export type RowIndex = number | string;

export interface ServerRef {
  type?: string;
  name: string;
}

/** A row of a dataset, or of materialized inputs. */
export interface DatasetRow {
  responses_create_params?: ResponsesRequest;
  agent_ref?: ServerRef;
  task_source?: string;
  _ng_task_index?: RowIndex;
  _ng_rollout_index?: RowIndex;
  _ng_attempt_index?: number;
  _ng_rollout_id?: string | null;
  [key: string]: unknown;
}

/** A rollout that a verifier scored. */
export interface ResultRow extends DatasetRow {
  _ng_task_index: RowIndex;
  _ng_rollout_index: RowIndex;
  response?: ModelResponse;
  reward?: number;
  mask_sample?: boolean;
  failure_kind?: FailureKind | null;
  failure_reason?: string | null;
}

/** A rollout that failed: no reward, goes to the failures sidecar. */
export interface FailureRow extends DatasetRow {
  _ng_failure_class: string;
  _ng_failure_terminal?: boolean;
  _ng_failure_type?: string;
  _ng_failure_message?: string;
  _ng_failure_boundary?: string;
  _ng_failure_attempts?: number;
  _ng_failure_http_status?: number;
  _ng_failure_response_body?: string;
  failure_kind?: FailureKind;
}

/** True where a result, of ours or of a foreign server, says that it is no measurement: it is kept out of every metric and counted. */
export function isUnscored(row: Record<string, unknown>): boolean {
  return (row._ng_failure_class !== undefined && row._ng_failure_class !== null) || row.mask_sample === true;
}

/**
 * The id of a row's rollout without its attempt: `_ng_rollout_id`, or `<task>-<rollout>`, or undefined where the row has neither.
 * An id made of indices that are text is not checked: encode it where it becomes a path.
 * @throws GymError NG_ERR_DATA where `_ng_rollout_id` is not a rollout id.
 */
export function rolloutIdOf(row: Record<string, unknown>): string | undefined {
  const explicit = row._ng_rollout_id;
  if (explicit !== undefined && explicit !== null) {
    if (isRolloutId(explicit)) return explicit;
    throw new GymError(
      "NG_ERR_DATA",
      `_ng_rollout_id is ${JSON.stringify(explicit)}, expected letters, digits, dots, dashes and underscores`,
      {
        details: { field: ROW_KEYS.rolloutId },
      },
    );
  }
  const { _ng_task_index: task, _ng_rollout_index: rollout } = row;
  if (task === undefined || task === null || rollout === undefined || rollout === null) return undefined;
  return `${String(task)}-${String(rollout)}`;
}

/**
 * The name of a row's attempt in paths and capture files: the rollout id, with `-a<n>` where `_ng_attempt_index` is above 0.
 * @throws GymError NG_ERR_DATA where the id or the attempt is malformed.
 */
export function captureKey(row: Record<string, unknown>): string | undefined {
  const id = rolloutIdOf(row);
  const attempt = attemptOf(row);
  return id === undefined || attempt <= 0 ? id : `${id}-a${attempt}`;
}

/** The attempt number of a row, 0 where it has none; a fraction is cut off. @throws GymError NG_ERR_DATA where it is no number. */
export function attemptOf(row: Record<string, unknown>): number {
  const value = row._ng_attempt_index ?? 0;
  if (typeof value === "number" && Number.isFinite(value)) return Math.trunc(value);
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "string" && /^\s*[+-]?\d+\s*$/.test(value)) return Number(value);
  throw new GymError("NG_ERR_DATA", `_ng_attempt_index is ${JSON.stringify(value)}, expected an integer`, {
    details: { field: ROW_KEYS.attemptIndex },
  });
}
