/** What a run tells while it goes on. Reporters turn events into text; nothing here is printed. */

import type { RunPaths } from "./paths.ts";
import type { CollectResult } from "./result.ts";
import type { RolloutKey } from "./row.ts";

/** Remarks that need no reaction. */
export type NoticeCode =
  | "deprecated_key"
  | "empty_input"
  | "row_limit"
  | "agent_ref_overridden"
  | "legacy_agent_ref_routing"
  | "unused_num_repeats_entry"
  | "attempt_cap_ignored"
  | "torn_line_dropped"
  | "archived"
  | "not_resumed"
  | "resume_counts"
  | "judge_rows_moved"
  | "input_not_compared"
  | "forced_resume"
  | "unrouted_rows"
  | "missing_not_counted"
  | "metrics_note"
  | "repeats_incomplete";

export interface Notice {
  type: "notice";
  code: NoticeCode;
  message: string;
}

export interface ProgressEvent {
  type: "progress";
  done: number;
  total: number;
  scored: number;
  failed: number;
  masked: number;
  inFlight: number;
  oldestInFlightS: number;
  /** Those that are out longest, first the oldest; absent where none is. */
  oldest?: { rollout: string | undefined; server: string; ageS: number }[];
  /** Rollouts a second since the start; undefined before the first. */
  rate: number | undefined;
  etaS: number | undefined;
  elapsedS: number;
  /** Of this run's unmasked results so far. */
  meanReward: number | undefined;
}

export interface FailureEvent {
  type: "failure";
  failureClass: string;
  failureKind: string | undefined;
  boundary: string | undefined;
  message: string;
  hint: string | undefined;
  key: RolloutKey;
}

export type CollectEvent =
  | Notice
  | { type: "planned"; expected: number; toRun: number; cached: number; resumed: boolean; paths: RunPaths }
  | ProgressEvent
  | FailureEvent
  /** Sent by whoever made the client, from its `onRetry`. */
  | { type: "retry-wait"; server: string; attempt: number; delayS: number; reason: string }
  | { type: "aggregating"; servers: string[] }
  | { type: "finished"; result: CollectResult };

export type Emit = (event: CollectEvent) => void;

export function notice(emit: Emit, code: NoticeCode, message: string): void {
  emit({ type: "notice", code, message });
}
