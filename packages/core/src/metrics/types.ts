/** Shapes that `metrics` takes and gives. The wire names (snake case) are those of the body of `/aggregate_metrics` and of the metrics files. */

/** One result row: any JSON object. */
export type Row = Readonly<Record<string, unknown>>;

/** Task or repeat number; callers may use text. */
export type Id = number | string;

/** Metric name -> value; hooks may add text, lists and maps. */
export type Metrics = Record<string, unknown>;

/** Rows of one task. */
export type TaskRows = readonly Row[];

/** Body of the answer to `/aggregate_metrics`. */
export interface AggregateMetrics {
  /** One entry a measured task, ascending: statistics, `sample`, counts, `rollout_infos`. */
  group_level_metrics: Metrics[];
  agent_metrics: Metrics;
  key_metrics: Metrics;
  /** Only where a row carries `ng_perf`. */
  perf_summary: PerfSummary | null;
  /** One entry a repeat, ascending; empty with one repeat. */
  repeat_level_metrics: Metrics[];
}

export type PerfSummary = Record<string, number>;

/** What a benchmark adds to the baseline. Each hook is pure and gets measured rows only, without their response (usage stays). */
export interface AggregateHooks {
  /** Tasks in ascending order. Its members win over the baseline; `per_task_metrics` (maps with `_ng_task_index`) go into the groups instead. */
  computeMetrics?: (tasks: readonly TaskRows[]) => Metrics;
  /** Picks the headline; default: every `mean/...`. */
  getKeyMetrics?: (agentMetrics: Readonly<Metrics>) => Metrics;
  /** Called once a repeat with that repeat's rollout of every task. A name counts only where it is finite in every repeat. */
  computeRepeatMetrics?: (tasks: readonly TaskRows[]) => Metrics;
}
