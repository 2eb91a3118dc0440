/** Options that several commands share, in the order in which the reference declares (and so translates) them. */
import { type OptionSpec, optionsOf } from "../contract/index.ts";
import { configKeys } from "./config-keys.ts";

export const json = optionsOf(configKeys, "json")[0] as OptionSpec;

/** Every command has it. */
export const verbose = optionsOf(configKeys, "verbose")[0] as OptionSpec;

/** The same for commands that have no such key in the reference. */
export const ownJson: OptionSpec = { ...json, key: undefined };

export const searchDir: OptionSpec = {
  flags: ["--search-dir"],
  type: "path",
  repeatable: true,
  help: "look for configs, servers and data here before the working folder",
};

export const config: OptionSpec = { flags: ["--config"], type: "path", selector: "config", repeatable: true, help: "a configuration file" };

const resourcesServer: OptionSpec = {
  flags: ["--resources-server"],
  type: "name",
  selector: "resources-server",
  repeatable: true,
  help: "the config of a resources server: NAME or NAME/FLAVOR",
};

const modelType: OptionSpec = {
  flags: ["--model-type"],
  type: "name",
  selector: "model-type",
  help: "the config of a model server: NAME or NAME/FLAVOR",
};

/** `--config` and everything else that names a configuration file. */
export const selectors: readonly OptionSpec[] = [
  config,
  { flags: ["--benchmark"], type: "name", selector: "benchmark", repeatable: true, help: "a benchmark: NAME or NAME/FLAVOR" },
  { flags: ["--environment"], type: "name", selector: "environment", repeatable: true, help: "an environment: NAME or NAME/FLAVOR" },
  resourcesServer,
  modelType,
];

export const pairing: readonly OptionSpec[] = [
  {
    flags: ["--agent-type"],
    type: "name",
    selector: "agent-type",
    help: "the config of the agent that drives the model: NAME or NAME/FLAVOR",
  },
  ...optionsOf(configKeys, "allow_unsupported_pairing"),
];

export const policyModel: readonly OptionSpec[] = optionsOf(configKeys, "policy_model_name", "policy_base_url", "policy_api_key");

export const allowUnknown: OptionSpec = {
  flags: ["--allow-unknown"],
  type: "switch",
  help: "let keys pass that no server and no part of the toolkit knows",
};
