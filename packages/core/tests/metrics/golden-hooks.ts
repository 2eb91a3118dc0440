/** The hooks that the goldens name, built from their descriptions. */
import {
  type AggregateHooks,
  addAvgSampleStdDev,
  computePassMajorityMetrics,
  highestKMetrics,
  type Metrics,
  type PassMajorityOptions,
  type Row,
} from "../../src/metrics/index.ts";

// biome-ignore lint/suspicious/noExplicitAny: a golden is foreign JSON
type Foreign = any;

export function hooksOf(input: Foreign): AggregateHooks {
  return {
    ...(input.compute_metrics && { computeMetrics: (tasks) => customMetrics(input.compute_metrics, tasks) }),
    ...(input.get_key_metrics && { getKeyMetrics: (metrics) => keyMetrics(input.get_key_metrics, metrics) }),
    ...(input.compute_repeat_metrics && { computeRepeatMetrics: (tasks) => repeatMetrics(input.compute_repeat_metrics, tasks) }),
  };
}

function customMetrics(spec: Foreign, tasks: readonly (readonly Row[])[]): Metrics {
  if (spec.kind === "constant") return spec.value;
  if (spec.kind === "shape") return { tasks: tasks.length, first_task_len: tasks[0]?.length ?? 0, rollouts: tasks.flat().length };
  const result = computePassMajorityMetrics(tasks, passOptions(spec));
  return spec.avg_sample_std_dev ? addAvgSampleStdDev(result) : result.metrics;
}

/** `scores`: name -> field; an absent field is no score. */
export function passOptions(spec: Foreign): PassMajorityOptions {
  const scores: Record<string, string> | undefined = spec.scores;
  return {
    answerKey: spec.answer_key,
    ...(scores && {
      scoreFn: (row) => Object.fromEntries(Object.entries(scores).map(([name, field]) => [name, row[field] as number | undefined])),
    }),
  };
}

function keyMetrics(spec: Foreign, metrics: Readonly<Metrics>): Metrics {
  if (spec.kind === "highest_k")
    return highestKMetrics(metrics, spec.pattern, { scoreNames: spec.score_names, excludeNames: spec.exclude_names });
  return Object.fromEntries(Object.entries(metrics).filter(([name]) => spec.names.includes(name)));
}

function repeatMetrics(spec: Foreign, tasks: readonly (readonly Row[])[]): Metrics {
  const rows = tasks.flat();
  if (spec.kind === "by_repeat") return spec.values[String(rows[0]?._ng_rollout_index ?? 0)] ?? {};
  return { [spec.name]: rows.reduce((total, row) => total + Number(row[spec.field]), 0) / rows.length };
}
