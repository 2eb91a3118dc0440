/** `metrics`: numbers about rollouts. Pure: rows in, plain objects out. See README.md. */
export { type AgentLabelRunner, agentLabels } from "./agent-labels.ts";
export { type Aggregator, aggregateMetrics, createAggregator } from "./aggregate.ts";
export { type Coverage, type CoverageCounts, coverageMetrics, coverageOf } from "./coverage.ts";
export { type Description, describeNumbers, mean, populationStd, quantileOfSorted, sampleStd, sum } from "./describe.ts";
export { type ClusteredMean, clusteredMean95, type Interval, tInterval95, welchInterval95 } from "./intervals.ts";
export { type HighestKOptions, highestKMetrics } from "./metric-selection.ts";
export { type LeftOutField, MAX_REPORTED_FIELDS, type MetricNotes, type MetricWarning } from "./notes.ts";
export { passAtK } from "./pass-at-k.ts";
export {
  addAvgSampleStdDev,
  computePassMajorityMetrics,
  computeSubsetMetrics,
  type PassMajority,
  type PassMajorityOptions,
} from "./pass-majority.ts";
export { computePerfSummary } from "./perf-summary.ts";
export { isPointName } from "./point-names.ts";
export type { ProfileSummary } from "./profile-completion.ts";
export {
  createRewardProfile,
  type ProfileTask,
  type RewardProfile,
  type RewardProfileBuilder,
  type RewardProfileOptions,
  sampleOf,
} from "./reward-profile.ts";
export { MAX_METRIC_COLUMNS } from "./row-store.ts";
export type { ScoreFn } from "./score-table.ts";
export { stripForMetrics } from "./strip-row.ts";
export { studentTQuantile } from "./student-t.ts";
export type { AggregateHooks, AggregateMetrics, Id, Metrics, PerfSummary, Row, TaskRows } from "./types.ts";
