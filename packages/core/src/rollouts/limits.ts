/** Every bound of this folder, by name. */

/** Rows in flight at once where neither `num_samples_in_parallel` nor `max_resident_rollout_tasks` says less. */
export const RESIDENT_ROLLOUTS_LIMIT = 65_536;
/** Characters of a failed answer kept in its sidecar row. */
export const FAILURE_BODY_CHARS = 2_000;
/** Characters of an endpoint's answer in the one-line cause of a failure. */
export const FAILURE_EXCERPT_CHARS = 300;
/** Names or line numbers listed in one error; the rest is counted. */
export const LISTED_PROBLEMS = 20;
/** Attempts of one rollout over all resumes, unless NEMO_GYM_MAX_ROLLOUT_ATTEMPTS says otherwise. */
export const DEFAULT_ROLLOUT_ATTEMPTS = 3;
/** Least time between two progress events. */
export const PROGRESS_INTERVAL_MS = 250;
/** Rollouts that must have finished before the drain margin follows their third quartile. */
export const DRAIN_MARGIN_SAMPLES = 5;
/** Largest k of pass@k in a summary. */
export const PASS_AT_K_LIMIT = 64;
/** Time that a server's own metric hooks may take. */
export const AGGREGATE_TIMEOUT_MS = 600_000;
