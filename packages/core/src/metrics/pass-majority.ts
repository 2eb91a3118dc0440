/**
 * The pass@k family: pass@k, mean of the first k, majority vote, and their spread over repeats. All values are percentages.
 *
 * A benchmark calls it from its `computeMetrics` hook. Score names are sorted; keys come by k, then by score.
 */
import { GymError } from "../errors/index.ts";
import { mean, sampleStd } from "./describe.ts";
import { sampleSpreads, scoreSeries } from "./score-series.ts";
import { readScores, type ScoreFn, type ScoreTable } from "./score-table.ts";
import type { Metrics, TaskRows } from "./types.ts";

export interface PassMajorityOptions {
  /** Rollout -> named scores; null or undefined: this rollout has no such score. Default: `{ accuracy: reward }`. */
  scoreFn?: ScoreFn;
  /** Field with the extracted answer (null or absent: no answer): adds `majority@k` and the score `no_answer`. */
  answerKey?: string;
}

export interface PassMajority {
  /** What goes into agent metrics. */
  metrics: Metrics;
  /** Sorted. */
  scoreNames: string[];
  /** Rollouts of the longest task. */
  maxK: number;
  /** Key of `metrics` -> how many tasks it rests on. `pass@k` leaves out tasks with fewer than k scored rollouts. */
  tasksBehind: Record<string, number>;
  scores: ScoreTable;
}

/** @throws GymError NG_ERR_DATA where a score or an answer cannot be counted; the message names task and rollout. */
export function computePassMajorityMetrics(tasks: readonly TaskRows[], options: PassMajorityOptions = {}): PassMajority {
  const scores = readScores(tasks, options);
  const maxK = tasks.reduce((longest, task) => Math.max(longest, task.length), 0);
  const result: PassMajority = { metrics: {}, scoreNames: scores.names, maxK, tasksBehind: {}, scores };
  if (tasks.length === 0) return result;
  const series = scores.names.map((name) => ({ name, ...scoreSeries(scores, name, maxK) }));
  const set = (key: string, values: number[] | undefined): void => {
    if (values === undefined || values.length === 0) return;
    result.metrics[key] = 100 * mean(values);
    result.tasksBehind[key] = values.length;
  };
  for (let k = 1; k <= maxK; k++) {
    for (const { name, pass, average, majority } of series) {
      set(`pass@${k}/${name}`, pass[k - 1]);
      set(`pass@1[avg-of-${k}]/${name}`, average[k - 1]);
      if (majority !== undefined) set(`majority@${k}/${name}`, majority[k - 1]);
    }
  }
  const perSample = series
    .map(({ name, sample }) => [name, sample.filter((values) => values.length > 0).map((values) => 100 * mean(values))] as const)
    .filter(([, values]) => values.length > 0);
  result.metrics.per_sample_aggregate = Object.fromEntries(perSample);
  for (let k = 2; k <= maxK; k++) {
    for (const [name, values] of perSample) {
      const runs = values.slice(0, k);
      const std = sampleStd(runs);
      if (std === undefined) continue;
      result.metrics[`pass@1[avg-of-${k}]/${name}/std_dev_across_runs`] = std;
      result.metrics[`pass@1[avg-of-${k}]/${name}/std_err_across_runs`] = std / Math.sqrt(runs.length);
    }
  }
  return result;
}

/**
 * The metrics with `pass@1[avg-of-k]/<score>/avg_sample_std_dev` added for k from 2 on: the mean over tasks (with two values among their
 * first k rollouts) of the sample standard deviation of the raw scores, not times 100.
 */
export function addAvgSampleStdDev({ metrics, scores, scoreNames, maxK }: PassMajority): Metrics {
  const result: Metrics = { ...metrics };
  const series = scoreNames.map((name) => ({ name, spreads: sampleSpreads(scores, name, maxK) }));
  for (let k = 2; k <= maxK; k++) {
    for (const { name, spreads } of series) {
      const own = spreads[k - 1] as number[];
      if (own.length > 0) result[`pass@1[avg-of-${k}]/${name}/avg_sample_std_dev`] = mean(own);
    }
  }
  return result;
}

/**
 * The family for each value of a field of whole tasks: keys `<value>/...`, without `per_sample_aggregate`. A task's value is that of its first
 * rollout that has the field; tasks with none, or with a false value (0, false, empty text), are in no subset.
 */
export function computeSubsetMetrics(tasks: readonly TaskRows[], subsetKey: string, options: PassMajorityOptions = {}): Metrics {
  const subsets = new Map<string, TaskRows[]>();
  for (const task of tasks) {
    const value = task.find((row) => row[subsetKey] !== undefined && row[subsetKey] !== null)?.[subsetKey];
    if (!value) continue;
    if (typeof value === "object") throw new GymError("NG_ERR_DATA", `A subset needs text or a number in ${subsetKey}, got a list or map`);
    const label = value === true ? "True" : String(value);
    const subset = subsets.get(label);
    if (subset === undefined) subsets.set(label, [task]);
    else subset.push(task);
  }
  const result: Metrics = {};
  for (const [label, own] of subsets) {
    for (const [key, value] of Object.entries(computePassMajorityMetrics(own, options).metrics)) {
      if (key !== "per_sample_aggregate") result[`${label}/${key}`] = value;
    }
  }
  return result;
}
