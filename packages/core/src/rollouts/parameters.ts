/**
 * Every key of a collection and of a reward profile, with type, default and the sentence that help and docs show. Unknown keys are ignored here:
 * the whole merged configuration is parsed with this schema, and `config` is what reports near misses.
 */
import { z } from "zod";
import { GymError, laxBool, laxFloat, laxInt } from "../protocol/index.ts";
import type { Notice } from "./events.ts";
import { HEALTH_CHECKS } from "./health-checks.ts";

const flag = (value: boolean, text: string) => z.preprocess((given) => given ?? value, laxBool).describe(text);
const text = (about: string) =>
  z
    .string()
    .nullish()
    .transform((value) => value ?? null)
    .describe(about);
const atLeast = (schema: z.ZodType<number>, low: number) => schema.refine((value) => value >= low, { message: `must be ${low} or more` });
const countOrNull = (about: string) =>
  atLeast(laxInt, 1)
    .nullish()
    .transform((value) => value ?? null)
    .describe(about);
const secondsOrNull = (about: string) =>
  atLeast(laxFloat, 0)
    .nullish()
    .transform((value) => value ?? null)
    .describe(about);
const nameMap = z.record(z.string(), z.string());

const repeats = z
  .union([z.null().transform(() => 1), atLeast(laxInt, 1), z.record(z.string(), atLeast(laxInt, 1))], {
    error: "must be a number of 1 or more, or a map from agent to such a number",
  })
  .optional()
  .transform((value) => value ?? 1);

const namesList = z
  .preprocess((value) => (typeof value === "string" ? value.split(",") : (value ?? [])), z.array(z.string()))
  .transform((names) => [...new Set(names.map((name) => name.trim()).filter((name) => name !== ""))]);

const healthChecks = namesList.superRefine((names, context) => {
  for (const name of names)
    if (!HEALTH_CHECKS.includes(name))
      context.addIssue({ code: "custom", message: `unknown check '${name}'; known: ${HEALTH_CHECKS.join(", ")}` });
});

export const collectParameters = z
  .object({
    input_jsonl_fpath: z
      .string()
      .describe("Input rows, one JSON object a line; relative paths are searched in NEMO_GYM_EXTRA_ROOTS, then in the current folder."),
    output_jsonl_fpath: z.string().describe("Results, one JSON object a line; the other files of the run are written beside it."),
    agent_name: text("Agent for every row; the same as agent_map._default."),
    agent_map: nameMap
      .nullish()
      .transform((value) => value ?? null)
      .describe("Row's agent or task_source -> agent; _default for the rest."),
    fan_out: z
      .record(z.string(), z.array(z.string()))
      .nullish()
      .transform((value) => value ?? null)
      .describe("Agent or task_source -> agents: one copy of a row for each."),
    limit: laxInt
      .nullish()
      .transform((value) => value ?? null)
      .describe("First rows of the input only; 0 or unset: all."),
    num_repeats: repeats.describe("Rollouts a row: a number, or a map from agent to number with _default."),
    num_repeats_add_seed: flag(false, "Give each repeat its own seed in metadata.extra_body."),
    interleave_repeats: flag(false, "Round by round (abcabc) instead of row by row (aabbcc)."),
    num_samples_in_parallel: countOrNull("Rollouts in flight at once; unset: no limit of its own."),
    max_resident_rollout_tasks: countOrNull("Rows held at once, waiting or in flight."),
    responses_create_params: z
      .record(z.string(), z.unknown())
      .nullish()
      .transform((value) => value ?? {})
      .describe("Overrides merged into every row's request."),
    prompt_config: text("YAML file with user (and system) templates that fill each row's input."),
    skills: z
      .object({ path: z.string() })
      .nullish()
      .transform((value) => value ?? null)
      .describe("Folder of skills (skills.path) stamped on every row."),
    resume_from_cache: flag(false, "Go on with an earlier run of the same output: only what is missing or failed runs."),
    require_complete: flag(false, "Exit 1 unless every row has a result."),
    disable_aggregation: flag(false, "Write no metrics file."),
    upload_rollouts: flag(true, "Hand results to exporters."),
    route_failures_to_sidecar: flag(true, "Failed rows go to the sidecar and the run goes on; false: the first failure ends it."),
    count_failure_classes_as_zero: namesList.describe("Failure classes that count as reward 0 in the metrics."),
    count_missing_rollouts_as_zero: flag(false, "Rollouts without any row count as reward 0 in the metrics."),
    dispatch_budget_s: secondsOrNull("Seconds after which no further row is started."),
    drain_margin_s: secondsOrNull(
      "Seconds before the end of the budget at which starting stops; unset: the third quartile of finished rollouts.",
    ),
    dispatch_longest_first: flag(false, "On resume, start rows that took long before first."),
    retry_terminal_timeouts: flag(false, "On resume, also retry rows that ended in a terminal time-out."),
    retry_invalid_judge_responses: flag(false, "On resume, run rows with an invalid judge answer again."),
    environment_routing_mode: z
      .enum(["agent", "legacy", "taskset"])
      .nullish()
      .transform((value) => value ?? "agent")
      .describe("How rows find their environment server."),
    environment_server_name: text("Environment server of every flat row in legacy mode."),
    environment_server_routes: nameMap
      .nullish()
      .transform((value) => value ?? {})
      .describe("Taskset -> environment server."),
    retain_results_in_memory: flag(true, "Accepted for compatibility; results are always read from disk."),
    disable_health_check: flag(false, "Skip the health check after the run."),
    health_check_workers: countOrNull("Workers of the health check."),
    health_check_ignored_checks: healthChecks.describe("Checks left out of the health verdict, a list or comma-separated."),
    rollout_collection_driver: text("Custom driver, module:function."),
  })
  .superRefine((value, context) => {
    const problem = (key: string, message: string) => context.addIssue({ code: "custom", path: [key], message });
    const otherDefault = value.agent_map?._default;
    if (value.agent_name !== null && otherDefault !== undefined && otherDefault !== value.agent_name) {
      problem("agent_name", `'${value.agent_name}' and agent_map._default '${otherDefault}' disagree`);
    }
    for (const [key, agents] of Object.entries(value.fan_out ?? {})) {
      if (agents.length === 0) problem("fan_out", `the list of '${key}' is empty`);
      if (new Set(agents).size < agents.length) problem("fan_out", `the list of '${key}' names an agent twice`);
    }
    if (value.environment_routing_mode === "legacy" && value.environment_server_name === null)
      problem("environment_server_name", "is needed in legacy routing mode");
    if (value.environment_routing_mode === "taskset" && Object.keys(value.environment_server_routes).length === 0)
      problem("environment_server_routes", "is needed in taskset routing mode");
    if (value.dispatch_budget_s !== null && value.num_samples_in_parallel === null)
      problem("dispatch_budget_s", "needs num_samples_in_parallel");
  });

export type CollectParameters = z.infer<typeof collectParameters>;

export const profileParameters = z.object({
  materialized_inputs_jsonl_fpath: z.string().describe("The run's materialized inputs."),
  rollouts_jsonl_fpath: z.string().describe("The run's results."),
  allow_partial_rollouts: flag(false, "Profile what is there although rollouts are missing."),
});

export type ProfileParameters = z.infer<typeof profileParameters>;

export interface ParsedCollect {
  parameters: CollectParameters;
  /** Old names that were used. */
  notices: Notice[];
}

/** @throws GymError NG_ERR_USAGE that names every key that is missing or wrong */
export function parseCollectParameters(raw: Readonly<Record<string, unknown>>): ParsedCollect {
  const given = { ...raw };
  const notices: Notice[] = [];
  if (given.upload_rollouts_to_wandb !== undefined) {
    notices.push({ type: "notice", code: "deprecated_key", message: "upload_rollouts_to_wandb is an old name: use upload_rollouts" });
    given.upload_rollouts ??= given.upload_rollouts_to_wandb;
  }
  return { parameters: parsed(collectParameters, given), notices };
}

/** @throws GymError NG_ERR_USAGE that names every key that is missing or wrong */
export function parseProfileParameters(raw: Readonly<Record<string, unknown>>): ProfileParameters {
  return parsed(profileParameters, raw);
}

function parsed<T>(schema: z.ZodType<T>, raw: Readonly<Record<string, unknown>>): T {
  const result = schema.safeParse(raw);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => {
    const key = issue.path.join(".");
    return raw[String(issue.path[0])] === undefined ? `${key} is required` : `${key}: ${issue.message}`;
  });
  throw new GymError("NG_ERR_USAGE", `wrong parameters: ${problems.join("; ")}`, {
    hint: "Give parameters as +key=value or as flags; --help lists them.",
    details: { problems },
  });
}
