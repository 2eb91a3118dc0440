/** Every key of a collection and how it is reached from the command line. */
import type { CollectParameters } from "@ng-gym/core/rollouts";
import type { Decisions, OptionDecision } from "../contract/index.ts";

/** Flags of the reference that change nothing here: its health check is a command of its own. */
const hiddenFlag = (flag: string, type: "switch" | "integer" | "list"): OptionDecision => ({
  flags: [{ flags: [flag], type, hidden: true, help: "accepted" }],
});

export const collectKeys = {
  resume_from_cache: {
    flags: [{ flags: ["--resume"], type: "switch", help: "go on with the output that is there; failed rows run again" }],
  },
  agent_name: {
    flags: [{ flags: ["--agent", "-a"], type: "name", help: "agent for every row (default: the row's agent_ref or task_source)" }],
  },
  input_jsonl_fpath: {
    flags: [{ flags: ["--input", "-i"], type: "path", required: true, help: "rows to run, JSON Lines" }],
    about: "Rows to run, one JSON object a line; a relative path is looked for in NEMO_GYM_EXTRA_ROOTS, then in the working folder.",
  },
  output_jsonl_fpath: {
    flags: [{ flags: ["--output", "-o"], type: "path", required: true, help: "where results go; other files go beside it" }],
  },
  limit: { flags: [{ flags: ["--limit"], type: "integer", help: "use only the first rows" }] },
  num_repeats: {
    flags: [{ flags: ["--num-repeats"], type: "integer", help: "rollouts of every row (default 1)" }],
    about: "Rollouts of every row: a number, or a map from agent to number with _default.",
  },
  interleave_repeats: {
    flags: [{ flags: ["--interleave-repeats"], type: "switch", help: "all rows once, then all rows again, ..." }],
  },
  prompt_config: {
    flags: [{ flags: ["--prompt-config"], type: "path", help: "YAML template that makes the prompt of every row" }],
  },
  num_samples_in_parallel: { flags: [{ flags: ["--concurrency"], type: "integer", help: "rollouts in flight at once" }] },
  responses_create_params: {
    flags: [
      { flags: ["--temperature"], type: "number", part: "temperature", help: "sampling temperature for every row" },
      { flags: ["--top-p"], type: "number", part: "top_p", help: "nucleus sampling for every row" },
      { flags: ["--max-output-tokens"], type: "integer", part: "max_output_tokens", help: "longest answer in tokens for every row" },
    ],
    about: "Settings of the request, merged into every row's own.",
  },
  disable_aggregation: { flags: [{ flags: ["--disable-aggregation"], type: "switch", help: "write no metrics file" }] },
  disable_health_check: hiddenFlag("--no-health-check", "switch"),
  health_check_workers: hiddenFlag("--health-check-workers", "integer"),
  health_check_ignored_checks: hiddenFlag("--health-check-ignore", "list"),

  agent_map: { override: "row's agent or task_source -> agent; _default for the rest" },
  fan_out: { override: "agent or task_source -> agents: one copy of a row for each" },
  num_repeats_add_seed: { override: "true: each repeat has a seed of its own in metadata.extra_body" },
  max_resident_rollout_tasks: { override: "rows held at once, waiting or in flight" },
  skills: { override: "folder of skills (skills.path) stamped on every row" },
  require_complete: { override: "true: exit 1 unless every row has a result" },
  route_failures_to_sidecar: { override: "false: the first failed row ends the run" },
  max_failure_ratio: {
    override: "share of failed rollouts at which a run stops, once 100 have finished (default 1: nothing works; null: never)",
  },
  count_failure_classes_as_zero: { override: "failure classes that count as reward 0 in the metrics" },
  count_missing_rollouts_as_zero: { override: "true: rollouts without any row count as reward 0 in the metrics" },
  dispatch_budget_s: { override: "seconds after which no further row is started" },
  drain_margin_s: { override: "seconds before the end of that budget at which starting stops (default: a usual rollout's)" },
  dispatch_longest_first: { override: "true: on resume, rows that took long before start first" },
  retry_terminal_timeouts: { override: "true: on resume, rows that ended in a terminal time-out run again" },
  retry_invalid_judge_responses: { override: "true: on resume, rows with an invalid judge answer run again" },
  environment_routing_mode: { override: "how rows find their environment server: agent, legacy or taskset" },
  environment_server_name: { override: "environment server of every flat row in legacy routing" },
  environment_server_routes: { override: "task set -> environment server" },

  upload_rollouts: { hidden: "there are no exporters yet" },
  retain_results_in_memory: { hidden: "results are always read from disk" },
  rollout_collection_driver: { hidden: "there are no drivers of one's own" },
} as const satisfies Decisions<CollectParameters>;
