/** Which rows of an earlier run are still to be run. Reads main file, sidecar and materialized rows as streams; keeps a bit a finished rollout. */

import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { GymError } from "../errors/index.ts";
import { fileError, lineError, readRows } from "../jsonl/index.ts";
import { type FailedRollout, type FailureHistory, readFailures } from "./failure-history.ts";
import { keyText, type RolloutSet, rolloutSet } from "./keys.ts";
import type { RunPaths } from "./paths.ts";
import { keyOf, type RolloutKey, type Row } from "./row.ts";

export interface ResumeCounts {
  /** Materialized rows. */
  original: number;
  /** Rollouts in the main file. */
  done: number;
  /** Lines of the sidecar. */
  priorAttempts: number;
  /** Rollouts with at least one of these. */
  failedRollouts: number;
  /** Failed for good. */
  terminal: number;
  /** Out of attempts. */
  maxed: number;
  toRun: number;
}

export interface ResumeState {
  counts: ResumeCounts;
  /** The rows to run, in dispatch order, with `_ng_attempt_index` where they failed before. */
  rows(): AsyncGenerator<Row>;
}

export interface ResumeOptions {
  paths: Pick<RunPaths, "rollouts" | "failures" | "materialized">;
  cap: number;
  retryTerminalTimeouts?: boolean;
  longestFirst?: boolean;
}

/** Both files that a resume needs are there. */
export function canResume(paths: Pick<RunPaths, "rollouts" | "materialized">): boolean {
  return existsSync(paths.materialized) && existsSync(paths.rollouts);
}

/** @throws GymError NG_ERR_FILE; NG_ERR_DATA for a broken line, a row without indices, or a result that no materialized row asked for */
export async function readResume(options: ResumeOptions): Promise<ResumeState> {
  const { paths } = options;
  const done = await readDone(paths.rollouts);
  const history = await readFailures(paths.failures, { retryTerminalTimeouts: options.retryTerminalTimeouts === true });
  const counts: ResumeCounts = {
    original: 0,
    done: done.size,
    priorAttempts: history.attempts,
    failedRollouts: history.byKey.size,
    terminal: 0,
    maxed: 0,
    toRun: 0,
  };
  const seen = rolloutSet();
  const timed: Timed[] = [];
  for await (const { row, line, offset, bytes } of readRows(paths.materialized, { skipBlank: true })) {
    const key = requireKey(paths.materialized, line, row);
    counts.original++;
    if (done.has(key)) {
      seen.add(key);
      continue;
    }
    const failure = history.byKey.get(keyText(key));
    if (failure?.terminal === true) counts.terminal++;
    else if ((failure?.attempts ?? 0) >= options.cap) counts.maxed++;
    else {
      counts.toRun++;
      if (options.longestFirst === true && failure?.elapsedS !== undefined)
        timed.push({ failure, offset, bytes, elapsedS: failure.elapsedS });
    }
  }
  if (seen.size < done.size) await failForUnknown(paths, seen);
  timed.sort((a, b) => b.elapsedS - a.elapsedS);
  return { counts, rows: () => rowsToRun(options, { done, history, timed }) };
}

interface Timed {
  failure: FailedRollout;
  offset: number;
  bytes: number;
  elapsedS: number;
}

async function* rowsToRun(
  options: ResumeOptions,
  state: { done: RolloutSet; history: FailureHistory; timed: Timed[] },
): AsyncGenerator<Row> {
  const started = rolloutSet();
  if (state.timed.length > 0) {
    const handle = await open(options.paths.materialized, "r").catch((error) => {
      throw fileError(options.paths.materialized, "read", error);
    });
    try {
      for (const { failure, offset, bytes } of state.timed) {
        const block = Buffer.alloc(bytes);
        await handle.read(block, 0, bytes, offset);
        started.add(failure.key);
        yield retried(JSON.parse(block.toString("utf8")) as Row, failure);
      }
    } finally {
      await handle.close();
    }
  }
  for await (const { row } of readRows(options.paths.materialized, { skipBlank: true })) {
    const key = keyOf(row) as RolloutKey;
    if (state.done.has(key) || started.has(key)) continue;
    const failure = state.history.byKey.get(keyText(key));
    if (failure?.terminal === true || (failure?.attempts ?? 0) >= options.cap) continue;
    yield failure === undefined ? row : retried(row, failure);
  }
}

function retried(row: Row, failure: FailedRollout): Row {
  const out: Row = { ...row, _ng_attempt_index: failure.attempts };
  if (failure.reuseDeliverable) out.reuse_cached_deliverable = true;
  return out;
}

async function readDone(path: string): Promise<RolloutSet> {
  const done = rolloutSet();
  for await (const { row, line } of readRows(path, { skipBlank: true })) done.add(requireKey(path, line, row));
  return done;
}

function requireKey(path: string, line: number, row: Row): RolloutKey {
  const key = keyOf(row);
  if (key === undefined)
    throw lineError(path, line, "the row has no _ng_task_index or _ng_rollout_index, so nothing says which rollout it is");
  return key;
}

async function failForUnknown(paths: ResumeOptions["paths"], known: RolloutSet): Promise<never> {
  for await (const { row, line } of readRows(paths.rollouts, { skipBlank: true })) {
    const key = keyOf(row) as RolloutKey;
    if (!known.has(key)) {
      throw lineError(
        paths.rollouts,
        line,
        `task ${JSON.stringify(key.task)}, rollout ${JSON.stringify(key.rollout)} is not among the rows of ${paths.materialized}`,
        {
          hint: "The two files belong to different runs: give another output, or run without resume_from_cache.",
        },
      );
    }
  }
  throw new GymError("NG_ERR_DATA", `${paths.rollouts} and ${paths.materialized} belong to different runs`);
}
