/** Commands about a configuration and the servers that run it. */
import { commands } from "../commands/index.ts";
import type { CommandSpec } from "../contract/index.ts";
import { allowUnknown, config, json, ownJson, pairing, policyModel, searchDir, selectors } from "./options.ts";

export const run: CommandSpec = {
  name: "run",
  path: ["env", "start"],
  summary: "start the head server and all servers of a configuration",
  description:
    "Runs until it is interrupted. Once everything is ready, collect rollouts from another terminal. With +dry_run=true everything is read, checked and constructed, and nothing listens.",
  example: "ng-run --resources-server mcqa --model-type simulated_model",
  options: [...selectors, ...pairing, searchDir, ...policyModel, allowUnknown],
  load: commands.run,
};

export const status: CommandSpec = {
  name: "status",
  path: ["env", "status"],
  summary: "show the servers that a head server runs",
  example: "ng-status",
  options: [json],
  load: commands.status,
};

export const validate: CommandSpec = {
  name: "validate",
  path: ["env", "validate"],
  summary: "check a configuration: everything that is wrong, with its place",
  description:
    "Reads the configuration as ng-run does and starts nothing. Then it reads every line of the data files and asks the endpoints of model servers whether they answer. A policy model that is not named yet, a data file that is not there and an endpoint that is silent are only warnings, unless --strict.",
  example: "ng-validate --resources-server mcqa --strict",
  options: [
    { flags: ["--strict"], type: "switch", key: "strict", help: "warnings are errors" },
    { flags: ["--offline"], type: "switch", help: "ask no endpoint" },
    { flags: ["--json-schema"], type: "switch", help: "instead, print a JSON Schema of configuration files, for editors" },
    json,
    ...selectors,
    ...pairing,
    searchDir,
    ...policyModel,
    allowUnknown,
  ],
  load: commands.validate,
};

export const dumpConfig: CommandSpec = {
  name: "dump-config",
  path: ["env", "resolve"],
  summary: "print the resolved configuration, secrets masked",
  example: "ng-dump-config --config config.yaml --explain head_server.port",
  options: [
    config,
    searchDir,
    { flags: ["--explain"], type: "name", help: "instead, show every layer that set this key, and which one won" },
    ownJson,
    allowUnknown,
  ],
  load: commands.dumpConfig,
};
