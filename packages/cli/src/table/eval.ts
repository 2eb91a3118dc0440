/** Commands about rollouts and what they say. */
import { commands } from "../commands/index.ts";
import type { CommandSpec, OptionSpec } from "../contract/index.ts";
import { ownJson, pairing, policyModel, searchDir, selectors } from "./options.ts";

/** The servers run already, so what chooses or names them changes nothing. */
const hidden = (option: OptionSpec): OptionSpec => ({ ...option, hidden: true });

const sampling: readonly OptionSpec[] = [
  { flags: ["--temperature"], type: "number", key: "responses_create_params.temperature", help: "sampling temperature for every row" },
  { flags: ["--top-p"], type: "number", key: "responses_create_params.top_p", help: "nucleus sampling for every row" },
  {
    flags: ["--max-output-tokens"],
    type: "integer",
    key: "responses_create_params.max_output_tokens",
    help: "longest answer in tokens for every row",
  },
];

const healthCheck: readonly OptionSpec[] = [
  { flags: ["--no-health-check"], type: "switch", key: "disable_health_check", hidden: true, help: "accepted" },
  { flags: ["--health-check-workers"], type: "integer", key: "health_check_workers", hidden: true, help: "accepted" },
  { flags: ["--health-check-ignore"], type: "list", key: "health_check_ignored_checks", hidden: true, help: "accepted" },
];

export const collectRollouts: CommandSpec = {
  name: "collect-rollouts",
  path: ["eval", "run"],
  needsFlag: {
    flag: "--no-serve",
    otherwise: "this command does not start servers: start them with `ng run`, then collect with --no-serve",
  },
  summary: "collect rollouts from running servers",
  description:
    "Sends every row of the input to its agent, as often as it is to be repeated, and appends each result as it arrives. A row that cannot be scored goes to the failures file beside the output and is never a reward. A run that was cut off goes on with --resume.",
  example: "ng-collect-rollouts --agent mcqa_simple_agent -i data/example.jsonl -o results/rollouts.jsonl --num-repeats 4",
  options: [
    ...selectors,
    searchDir,
    { flags: ["--no-serve"], type: "switch", help: "use the servers that run already (always so under this name)" },
    { flags: ["--resume"], type: "switch", key: "resume_from_cache", help: "go on with the output that is there; failed rows run again" },
    ...pairing.map(hidden),
    {
      flags: ["--agent", "-a"],
      type: "name",
      key: "agent_name",
      help: "agent for every row (default: the row's agent_ref or task_source)",
    },
    { flags: ["--input", "-i"], type: "path", key: "input_jsonl_fpath", required: true, help: "rows to run, JSON Lines" },
    {
      flags: ["--output", "-o"],
      type: "path",
      key: "output_jsonl_fpath",
      required: true,
      help: "where results go; other files go beside it",
    },
    { flags: ["--limit"], type: "integer", key: "limit", help: "use only the first rows" },
    { flags: ["--num-repeats"], type: "integer", key: "num_repeats", help: "rollouts of every row (default 1)" },
    { flags: ["--interleave-repeats"], type: "switch", key: "interleave_repeats", help: "all rows once, then all rows again, ..." },
    { flags: ["--prompt-config"], type: "path", key: "prompt_config", help: "YAML template that makes the prompt of every row" },
    { flags: ["--concurrency"], type: "integer", key: "num_samples_in_parallel", help: "rollouts in flight at once" },
    { flags: ["--split"], type: "text", key: "split", hidden: true, help: "accepted" },
    ...policyModel.map(hidden),
    ...sampling,
    { flags: ["--disable-aggregation"], type: "switch", key: "disable_aggregation", help: "write no metrics file" },
    ...healthCheck,
    ownJson,
    { flags: ["--strict"], type: "switch", help: "exit 1 unless every row is scored" },
    { flags: ["--force"], type: "switch", help: "resume although the run was made with other settings" },
  ],
  check: (given) =>
    given.has("--no-serve") && given.has("--agent-type") ? "--agent-type cannot stand with --no-serve: the agents run already" : undefined,
  load: commands.collectRollouts,
};

export const rewardProfile: CommandSpec = {
  name: "reward-profile",
  path: ["eval", "profile"],
  summary: "profile rewards task by task and agent by agent",
  description: "Reads the two files that a collection wrote and writes the profile beside the rollouts.",
  example: "ng-reward-profile --inputs results/rollouts_materialized_inputs.jsonl --rollouts results/rollouts.jsonl",
  options: [
    { flags: ["--inputs"], type: "path", key: "materialized_inputs_jsonl_fpath", required: true, help: "the rows as they were sent" },
    { flags: ["--rollouts"], type: "path", key: "rollouts_jsonl_fpath", required: true, help: "their results" },
    { flags: ["--allow-partial"], type: "switch", key: "allow_partial_rollouts", help: "profile a run that is not complete" },
    ownJson,
  ],
  load: commands.rewardProfile,
};
