/** Commands about a configuration and the servers that run it. */
import { commands } from "../commands/index.ts";
import type { CommandSpec } from "../contract/index.ts";
import { config, json, pairing, policyModel, searchDir, selectors } from "./options.ts";

export const run: CommandSpec = {
  name: "run",
  path: ["env", "start"],
  summary: "start the head server and all servers of a configuration",
  description:
    "Runs until it is interrupted. Once everything is ready, collect rollouts from another terminal. With +dry_run=true everything is read, checked and constructed, and nothing listens.",
  example: "ng-run --resources-server mcqa --model-type simulated_model",
  options: [...selectors, ...pairing, searchDir, ...policyModel],
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
