/** The numbers that a reporter shows. Everything but this start's own record comes from the files, so that each number can be computed again. */
import { existsSync } from "node:fs";
import { clusteredMean95, mean, passAtK } from "../metrics/index.ts";
import { PASS_AT_K_LIMIT } from "./limits.ts";
import { type Manifest, type RunRecord, readManifest } from "./manifest.ts";
import { absolutePath, type RunPaths, runPaths } from "./paths.ts";
import { isRecord } from "./row.ts";
import { type FailureTally, type GroupTally, type RunTally, sumOf, tallyRun } from "./tally.ts";

export interface PassAtK {
  k: number;
  /** 0..1, mean over the tasks it rests on. */
  value: number;
  /** Tasks with at least k rollouts. */
  tasks: number;
  skippedTasks: number;
}

export interface RewardSummary {
  rollouts: number;
  tasks: number;
  /** Over rollouts: `mean/reward` of the metrics file. */
  meanReward: number | undefined;
  /** 95 % of the mean over tasks, with the task as unit; undefined for fewer than two tasks. `mean` is its centre: each task counts once. */
  interval: { low: number; high: number; mean: number; level: 0.95; clusters: number } | undefined;
  /** Empty where a reward is neither 0 nor 1. */
  passAtK: PassAtK[];
}

export interface GroupSummary extends RewardSummary {
  label: string;
  environmentServer: string | undefined;
  expected: number;
  scored: number;
  failed: number;
  missing: number;
  masked: number;
}

export interface RunSummary {
  expected: number;
  scored: number;
  failed: number;
  /** Neither result nor failure. */
  missing: number;
  masked: number;
  /** Scored rollouts whose response is missing or empty: the model was never called, or its answer was not kept. */
  withoutOutput: number;
  /** Results without a usable reward. */
  unscored: number;
  /** Zeros in the metrics file that stand for failed or missing rollouts. */
  imputed: number;
  /** scored / expected; 1 where nothing was expected. */
  coverage: number;
  /** Most frequent first. */
  failures: FailureTally[];
  groups: GroupSummary[];
  overall: RewardSummary;
  /** Seconds a rollout, of the last start that ran any. */
  latency: { count: number; median: number; p90: number; p99: number; max: number } | undefined;
  run: { dispatched: number; cached: number; drained: number; unresolved: number; elapsedS: number; interrupted: boolean };
  /** Simulated model servers behind the run: its numbers are no measurement of a model. */
  simulated: string[];
  paths: Omit<RunPaths, "metrics"> & { metrics: string | undefined };
  archived: string[];
  droppedTail: { path: string; bytes: number }[];
}

export interface RunFacts {
  run: RunSummary["run"];
  archived: string[];
  droppedTail: RunSummary["droppedTail"];
  imputed: number;
}

/** A run's summary from its files alone. @throws GymError NG_ERR_FILE, NG_ERR_DATA */
export async function summarizeRun(options: { output: string; cwd?: string }): Promise<RunSummary> {
  const paths = runPaths(absolutePath(options.output, options.cwd ?? process.cwd()));
  const [tally, manifest] = [await tallyRun({ paths }), await readManifest(paths.manifest)];
  const last = manifest?.runs.at(-1);
  const run = {
    dispatched: last?.dispatched ?? 0,
    cached: last?.cached ?? 0,
    drained: 0,
    unresolved: 0,
    elapsedS: elapsedOf(last),
    interrupted: last?.interrupted === true,
  };
  return summaryOf(tally, { paths, manifest, facts: { run, archived: [], droppedTail: [], imputed: 0 } });
}

export function summaryOf(tally: RunTally, context: { paths: RunPaths; manifest: Manifest | undefined; facts: RunFacts }): RunSummary {
  const { paths, manifest, facts } = context;
  const all = [...tally.groups, tally.unowned];
  const total = (of: (group: GroupTally) => number) => all.reduce((sum, group) => sum + of(group), 0);
  const expected = total((group) => group.expected);
  const scored = total((group) => group.scored);
  return {
    expected,
    scored,
    failed: total((group) => sumOf(group.failed)),
    missing: total(missingOf),
    masked: total((group) => group.masked),
    withoutOutput: total((group) => group.withoutOutput),
    unscored: total((group) => group.unscored),
    imputed: facts.imputed,
    coverage: expected === 0 ? 1 : scored / expected,
    failures: mergedFailures(all),
    groups: tally.groups.map((group) => ({
      label: tally.labels.get(group.group) ?? "",
      environmentServer: group.group.environmentServer,
      expected: group.expected,
      scored: group.scored,
      failed: sumOf(group.failed),
      missing: missingOf(group),
      masked: group.masked,
      ...rewardSummary([...group.rewards.values()]),
    })),
    overall: rewardSummary(mergedRewards(all)),
    latency: manifest?.runs.findLast((run) => run.latency !== undefined)?.latency,
    run: facts.run,
    simulated: simulatedModels(manifest),
    paths: { ...paths, metrics: existsSync(paths.metrics) ? paths.metrics : undefined },
    archived: facts.archived,
    droppedTail: facts.droppedTail,
  };
}

function missingOf(group: GroupTally): number {
  return Math.max(0, group.expected - group.scored - group.masked - group.unscored - sumOf(group.failed));
}

/** One task may have been run by several agents: its rewards are one cluster. */
function mergedRewards(groups: GroupTally[]): number[][] {
  const withRewards = groups.filter((group) => group.rewards.size > 0);
  if (withRewards.length === 1) return [...(withRewards[0] as GroupTally).rewards.values()];
  const byTask = new Map<number | string, number[]>();
  for (const group of withRewards) for (const [task, rewards] of group.rewards) byTask.set(task, [...(byTask.get(task) ?? []), ...rewards]);
  return [...byTask.values()];
}

function mergedFailures(groups: GroupTally[]): FailureTally[] {
  const merged = new Map<string, FailureTally>();
  for (const group of groups) {
    for (const [id, failure] of group.failed) {
      const seen = merged.get(id);
      if (seen === undefined) merged.set(id, { ...failure });
      else seen.count += failure.count;
    }
  }
  return [...merged.values()].sort((a, b) => b.count - a.count || (a.failureClass < b.failureClass ? -1 : 1));
}

export function rewardSummary(tasks: readonly (readonly number[])[]): RewardSummary {
  const byTask = clusteredMean95(tasks);
  return {
    rollouts: byTask.rollouts,
    tasks: byTask.tasks,
    meanReward: byTask.rollouts === 0 ? undefined : mean(tasks.flat()),
    interval: byTask.known ? { low: byTask.low, high: byTask.high, mean: byTask.mean, level: 0.95, clusters: byTask.tasks } : undefined,
    passAtK: passAtKOf(tasks),
  };
}

function passAtKOf(tasks: readonly (readonly number[])[]): PassAtK[] {
  let longest = 0;
  for (const rewards of tasks) {
    longest = Math.max(longest, rewards.length);
    if (rewards.some((reward) => reward !== 0 && reward !== 1)) return [];
  }
  const out: PassAtK[] = [];
  for (let k = 1; k <= Math.min(longest, PASS_AT_K_LIMIT); k++) {
    const eligible = tasks.filter((rewards) => rewards.length >= k);
    const sum = eligible.reduce((total, rewards) => total + passAtK(rewards.length, rewards.filter((reward) => reward === 1).length, k), 0);
    out.push({ k, value: sum / eligible.length, tasks: eligible.length, skippedTasks: tasks.length - eligible.length });
  }
  return out;
}

function simulatedModels(manifest: Manifest | undefined): string[] {
  return Object.entries(manifest?.fingerprint.servers ?? {})
    .filter(
      ([, block]) =>
        isRecord(block) && isRecord(block.responses_api_models) && Object.hasOwn(block.responses_api_models, "simulated_model"),
    )
    .map(([name]) => name);
}

function elapsedOf(run: RunRecord | undefined): number {
  return run?.finished === null || run === undefined ? 0 : (Date.parse(run.finished) - Date.parse(run.started)) / 1000;
}
