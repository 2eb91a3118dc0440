/** What the sidecar says about each rollout: how often it failed, whether for good, with which class last, how long it took. Grows with failures only. */

import { existsSync } from "node:fs";
import { readRows } from "../jsonl/index.ts";
import { keyText } from "./keys.ts";
import { isRecord, isTruthy, keyOf, type RolloutKey, type Row } from "./row.ts";

export interface FailedRollout {
  key: RolloutKey;
  attempts: number;
  terminal: boolean;
  /** Longest attempt in seconds. */
  elapsedS: number | undefined;
  reuseDeliverable: boolean;
  /** Of the last attempt. */
  failureClass: string;
  failureKind: string | undefined;
  message: string | undefined;
  /** Agent and environment server of the last attempt. */
  row: Row;
}

export interface FailureHistory {
  byKey: Map<string, FailedRollout>;
  /** Sidecar lines with both indices. */
  attempts: number;
}

/** Classes that a retry of terminal time-outs opens again. */
const REOPENED = new Set(["timeout_exceeded", "reference_missing", "eval_missing", "transport_ineligible"]);

/** Lines without both indices are passed over. @throws GymError NG_ERR_FILE, NG_ERR_DATA for a broken line */
export async function readFailures(path: string, options: { retryTerminalTimeouts: boolean }): Promise<FailureHistory> {
  const history: FailureHistory = { byKey: new Map(), attempts: 0 };
  if (!existsSync(path)) return history;
  for await (const { row } of readRows(path, { skipBlank: true })) {
    const key = keyOf(row);
    if (key === undefined) continue;
    history.attempts++;
    const text = keyText(key);
    const before = history.byKey.get(text);
    const elapsedS = elapsedSeconds(row);
    history.byKey.set(text, {
      key,
      attempts: (before?.attempts ?? 0) + 1,
      terminal: before?.terminal === true || isTerminal(row, options.retryTerminalTimeouts),
      elapsedS: elapsedS === undefined ? before?.elapsedS : Math.max(elapsedS, before?.elapsedS ?? 0),
      reuseDeliverable: before?.reuseDeliverable === true || row.reuse_cached_deliverable === true,
      failureClass: typeof row._ng_failure_class === "string" ? row._ng_failure_class : "",
      failureKind: typeof row.failure_kind === "string" ? row.failure_kind : undefined,
      message: messageIn(row),
      row: { agent_ref: row.agent_ref, _ng_environment_server: row._ng_environment_server },
    });
  }
  return history;
}

export function isTerminal(row: Row, retryTerminalTimeouts: boolean): boolean {
  if (retryTerminalTimeouts) {
    if (row._ng_failure_class === "skipped") return true;
    if (REOPENED.has(row._ng_failure_class as string)) return false;
  }
  return isTruthy(row._ng_failure_terminal);
}

/** `elapsed_seconds` of a row, else of its response's metadata; undefined where neither is a positive number. */
export function elapsedSeconds(row: Row): number | undefined {
  const metadata = isRecord(row.response) && isRecord(row.response.metadata) ? row.response.metadata : {};
  for (const value of [row.elapsed_seconds, metadata.elapsed_seconds]) {
    const seconds = typeof value === "string" && value.trim() === "" ? Number.NaN : Number(value ?? Number.NaN);
    if (Number.isFinite(seconds) && seconds > 0) return seconds;
  }
  return undefined;
}

function messageIn(row: Row): string | undefined {
  for (const value of [row._ng_failure_message, row.failure_reason, row._ng_failure_judge_error, row.error_message])
    if (typeof value === "string" && value !== "") return value.slice(0, 300);
  return undefined;
}
