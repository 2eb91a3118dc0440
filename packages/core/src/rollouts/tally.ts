/** Counts a run from its files alone: what was asked for, what has a reward, what failed how, what is missing; rewards by task. */

import { existsSync } from "node:fs";
import { readRows } from "../jsonl/index.ts";
import { type FailureHistory, readFailures } from "./failure-history.ts";
import { createGroups, type Fronts, type Group, type Groups } from "./groups.ts";
import { rolloutSet, taskKey } from "./keys.ts";
import { rewardOf } from "./outcome.ts";
import type { RunPaths } from "./paths.ts";
import { isMasked, isRecord, keyOf, type Row } from "./row.ts";

export interface GroupTally {
  group: Group;
  expected: number;
  scored: number;
  masked: number;
  /** Of those scored: results that hold nothing a model has said. */
  withoutOutput: number;
  /** In the main file without a usable reward. */
  unscored: number;
  /** Class -> rollouts whose last attempt failed with it and that have no result. */
  failed: Map<string, FailureTally>;
  /** Rewards of measured rollouts by task. */
  rewards: Map<number | string, number[]>;
}

export interface FailureTally {
  failureClass: string;
  failureKind: string | undefined;
  count: number;
  example: string | undefined;
}

export interface RunTally {
  groups: GroupTally[];
  labels: Map<Group, string>;
  /** Rows that name neither agent nor environment server. */
  unowned: GroupTally;
}

export interface TallyOptions {
  paths: Pick<RunPaths, "rollouts" | "failures" | "materialized">;
  /** Without a configuration, who runs what is learned from the results. */
  fronts?: Fronts;
}

/** @throws GymError NG_ERR_FILE, NG_ERR_DATA */
export async function tallyRun(options: TallyOptions): Promise<RunTally> {
  const { paths } = options;
  const groups = createGroups(options.fronts);
  const tallies = new Map<Group | undefined, GroupTally>();
  const tallyOf = (row: Row): GroupTally => {
    const group = groups.of(row);
    let tally = tallies.get(group);
    if (tally === undefined) {
      tally = emptyTally(group ?? { environmentServer: undefined, agent: undefined });
      tallies.set(group, tally);
    }
    return tally;
  };
  const history = await readFailures(paths.failures, { retryTerminalTimeouts: false });
  if (options.fronts === undefined) await learn(groups, paths.rollouts, history);
  const settled = rolloutSet();
  if (existsSync(paths.rollouts)) {
    for await (const { row } of readRows(paths.rollouts, { skipBlank: true })) {
      const key = keyOf(row);
      if (key !== undefined && !settled.add(key)) continue;
      countResult(tallyOf(row), row);
    }
  }
  const isInventoried = existsSync(paths.materialized);
  if (isInventoried) for await (const { row } of readRows(paths.materialized, { skipBlank: true })) tallyOf(row).expected++;
  for (const failure of history.byKey.values()) {
    if (settled.has(failure.key)) continue;
    const tally = tallyOf(failure.row);
    countFailure(tally, failure);
  }
  if (!isInventoried)
    for (const tally of tallies.values()) tally.expected = tally.scored + tally.masked + tally.unscored + sumOf(tally.failed);
  const labels = new Map(groups.labels().map(({ group, label }) => [group, label]));
  return {
    groups: [...tallies].flatMap(([group, tally]) => (group === undefined ? [] : [tally])),
    labels,
    unowned: tallies.get(undefined) ?? emptyTally({ environmentServer: undefined, agent: undefined }),
  };
}

/** Rollouts that failed, over all classes. */
export function sumOf(failed: Map<string, FailureTally>): number {
  let total = 0;
  for (const { count } of failed.values()) total += count;
  return total;
}

async function learn(groups: Groups, rollouts: string, history: FailureHistory): Promise<void> {
  for (const failure of history.byKey.values()) groups.learn(failure.row);
  if (existsSync(rollouts)) for await (const { row } of readRows(rollouts, { skipBlank: true })) groups.learn(row);
}

function countResult(tally: GroupTally, row: Row): void {
  if (row._ng_failure_class !== undefined && row._ng_failure_class !== null) {
    countFailure(tally, {
      failureClass: String(row._ng_failure_class),
      failureKind: typeof row.failure_kind === "string" ? row.failure_kind : undefined,
      message: undefined,
    });
  } else if (isMasked(row)) {
    tally.masked++;
  } else {
    const reward = rewardOf(row);
    if (reward === undefined) tally.unscored++;
    else {
      tally.scored++;
      if (!holdsOutput(row)) tally.withoutOutput++;
      const task = taskKey(row._ng_task_index);
      const rewards = tally.rewards.get(task);
      if (rewards === undefined) tally.rewards.set(task, [reward]);
      else rewards.push(reward);
    }
  }
}

/** Was the model called at all, as far as a row tells? An answer without text is an item too. */
function holdsOutput({ response }: Row): boolean {
  return isRecord(response) && Array.isArray(response.output) && response.output.length > 0;
}

function countFailure(
  tally: GroupTally,
  failure: { failureClass: string; failureKind: string | undefined; message: string | undefined },
): void {
  const id = `${failure.failureClass}\n${failure.failureKind ?? ""}`;
  const seen = tally.failed.get(id) ?? {
    failureClass: failure.failureClass,
    failureKind: failure.failureKind,
    count: 0,
    example: undefined,
  };
  seen.count++;
  seen.example ??= failure.message;
  tally.failed.set(id, seen);
}

function emptyTally(group: Group): GroupTally {
  return { group, expected: 0, scored: 0, masked: 0, withoutOutput: 0, unscored: 0, failed: new Map(), rewards: new Map() };
}
