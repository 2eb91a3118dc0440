/** Every bound of this folder, by name. */

/** Rows in flight at once where neither `num_samples_in_parallel` nor `max_resident_rollout_tasks` says less. */
export const RESIDENT_ROLLOUTS_LIMIT = 65_536;
/** Characters of a failed answer kept in its sidecar row. */
export const FAILURE_BODY_CHARS = 2_000;
/** Names or line numbers listed in one error; the rest is counted. */
export const LISTED_PROBLEMS = 20;
/** Attempts of one rollout over all resumes, unless NEMO_GYM_MAX_ROLLOUT_ATTEMPTS says otherwise. */
export const DEFAULT_ROLLOUT_ATTEMPTS = 3;
/** Least time between two progress events. */
export const PROGRESS_INTERVAL_MS = 250;
/** While no outcome comes, progress is told this often. */
export const PROGRESS_TICK_MS = 1_000;
/** Rollouts in flight that a progress event names: those that are out longest. */
export const OLDEST_NAMED = 3;
/** Rollouts that must have finished in a run before their share of failures may end it. */
export const FAILURE_RATIO_SAMPLES = 100;
/** Rollouts that are started in one turn of the event loop. */
export const DISPATCH_BURST = 64;
/** How long a row waits for an environment server that takes no connection while its run goes on. */
export const SERVER_ABSENCE_MS = 60_000;
/** Between two questions whether the servers are still there. */
export const RUN_LOOK_MS = 1_000;
/** Rollouts that must have finished before the drain margin follows their third quartile. */
export const DRAIN_MARGIN_SAMPLES = 5;
/** Largest k of pass@k in a summary. */
export const PASS_AT_K_LIMIT = 64;
/** Time that a server's own metric hooks may take. */
export const AGGREGATE_TIMEOUT_MS = 600_000;
