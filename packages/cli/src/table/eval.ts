/** Commands about rollouts and what they say. */
import { commands } from "../commands/index.ts";
import { type CommandSpec, keysWithoutFlag, type OptionSpec, optionsOf } from "../contract/index.ts";
import { collectKeys } from "./collect-keys.ts";
import { ownJson, pairing, policyModel, searchDir, selectors } from "./options.ts";
import { profileKeys } from "./profile-keys.ts";

/** The servers run already, so what chooses or names them changes nothing. */
const hidden = (option: OptionSpec): OptionSpec => ({ ...option, hidden: true });

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
    ...optionsOf(collectKeys, "resume_from_cache"),
    ...pairing.map(hidden),
    ...optionsOf(
      collectKeys,
      "agent_name",
      "input_jsonl_fpath",
      "output_jsonl_fpath",
      "limit",
      "num_repeats",
      "interleave_repeats",
      "prompt_config",
      "num_samples_in_parallel",
    ),
    { flags: ["--split"], type: "text", key: "split", hidden: true, help: "accepted" },
    ...policyModel.map(hidden),
    ...optionsOf(
      collectKeys,
      "responses_create_params",
      "disable_aggregation",
      "disable_health_check",
      "health_check_workers",
      "health_check_ignored_checks",
    ),
    ownJson,
    { flags: ["--strict"], type: "switch", help: "exit 1 unless every row is scored" },
    { flags: ["--force"], type: "switch", help: "resume although the run was made with other settings" },
  ],
  keys: keysWithoutFlag(collectKeys),
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
  options: [...optionsOf(profileKeys, "materialized_inputs_jsonl_fpath", "rollouts_jsonl_fpath", "allow_partial_rollouts"), ownJson],
  load: commands.rewardProfile,
};
