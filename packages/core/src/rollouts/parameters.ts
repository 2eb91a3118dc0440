/**
 * Every key of a collection and of a reward profile, with type and default. What help and docs say of a key stands in the command table, which is typed
 * over these schemas: a key that it does not decide does not compile. Unknown keys are ignored here: the whole merged configuration is parsed with this
 * schema, and `config` is what reports near misses.
 */
import { z } from "zod";
import { GymError } from "../errors/index.ts";
import { laxBool, laxFloat, laxInt } from "../protocol/index.ts";
import type { Notice } from "./events.ts";
import { HEALTH_CHECKS } from "./health-checks.ts";

const flag = (value: boolean) => z.preprocess((given) => given ?? value, laxBool);
const optionalText = z
  .string()
  .nullish()
  .transform((value) => value ?? null);
const atLeast = (schema: z.ZodType<number>, low: number) => schema.refine((value) => value >= low, { message: `must be ${low} or more` });
const countOrNull = atLeast(laxInt, 1)
  .nullish()
  .transform((value) => value ?? null);
const secondsOrNull = atLeast(laxFloat, 0)
  .nullish()
  .transform((value) => value ?? null);
/** Left out: 1, so that a run in which nothing works ends. */
const ratioOrNull = z.preprocess(
  (value) => (value === undefined ? 1 : value),
  laxFloat.refine((value) => value > 0 && value <= 1, { message: "must be more than 0 and at most 1, or null" }).nullable(),
);
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
    input_jsonl_fpath: z.string(),
    output_jsonl_fpath: z.string(),
    agent_name: optionalText,
    agent_map: nameMap.nullish().transform((value) => value ?? null),
    fan_out: z
      .record(z.string(), z.array(z.string()))
      .nullish()
      .transform((value) => value ?? null),
    limit: laxInt.nullish().transform((value) => value ?? null),
    num_repeats: repeats,
    num_repeats_add_seed: flag(false),
    interleave_repeats: flag(false),
    num_samples_in_parallel: countOrNull,
    max_resident_rollout_tasks: countOrNull,
    responses_create_params: z
      .record(z.string(), z.unknown())
      .nullish()
      .transform((value) => value ?? {}),
    prompt_config: optionalText,
    skills: z
      .object({ path: z.string() })
      .nullish()
      .transform((value) => value ?? null),
    resume_from_cache: flag(false),
    require_complete: flag(false),
    disable_aggregation: flag(false),
    upload_rollouts: flag(true),
    route_failures_to_sidecar: flag(true),
    max_failure_ratio: ratioOrNull,
    count_failure_classes_as_zero: namesList,
    count_missing_rollouts_as_zero: flag(false),
    dispatch_budget_s: secondsOrNull,
    drain_margin_s: secondsOrNull,
    dispatch_longest_first: flag(false),
    retry_terminal_timeouts: flag(false),
    retry_invalid_judge_responses: flag(false),
    environment_routing_mode: z
      .enum(["agent", "legacy", "taskset"])
      .nullish()
      .transform((value) => value ?? "agent"),
    environment_server_name: optionalText,
    environment_server_routes: nameMap.nullish().transform((value) => value ?? {}),
    retain_results_in_memory: flag(true),
    disable_health_check: flag(false),
    health_check_workers: countOrNull,
    health_check_ignored_checks: healthChecks,
    rollout_collection_driver: optionalText,
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
  materialized_inputs_jsonl_fpath: z.string(),
  rollouts_jsonl_fpath: z.string(),
  allow_partial_rollouts: flag(false),
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
