/** Which metric names are points (a level that can be compared or averaged over repeats) and which are spreads, extremes or counters. */

const COUNTERS = new Set([
  "_ng_task_index",
  "_ng_rollout_index",
  "_ng_attempt_index",
  "sample_count",
  "missing_count",
  "num_repeats",
  "token_usage_version",
]);
const SPREAD_PREFIX = /^(?:max|min|median|std|sem|se|p25|p75|ci_low_95|ci_high_95|histogram)\//;
const SPREAD_ENDING =
  /(?:\/(?:max|min|median|p5|p25|p75|p95|ci_low_95|ci_high_95|ci_lower|ci_upper|_ng_attempt_index)|_ci_lower|_ci_upper|_ci95_lower|_ci95_upper)$/;
/** Endings of the spreads of the pass@k family. */
export const PASS_SPREAD_ENDING: RegExp = /(?:std_dev_across_runs|std_err_across_runs|avg_sample_std_dev)$/;

export function isPointName(name: string): boolean {
  return (
    !COUNTERS.has(name) &&
    !SPREAD_PREFIX.test(name) &&
    !SPREAD_ENDING.test(name) &&
    !PASS_SPREAD_ENDING.test(name) &&
    !name.includes("_across_repeats/")
  );
}
