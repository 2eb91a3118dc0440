/** The one table of commands. An entry appears here when its command works. */
import type { CommandSpec } from "../contract/index.ts";
import * as env from "./env.ts";
import * as evaluation from "./eval.ts";
import * as general from "./general.ts";
import * as list from "./list.ts";

export { collectKeys } from "./collect-keys.ts";
export { configKeys } from "./config-keys.ts";
export { verbose } from "./options.ts";
export { profileKeys } from "./profile-keys.ts";

export const COMMANDS: readonly CommandSpec[] = [
  env.run,
  env.status,
  env.validate,
  env.dumpConfig,
  evaluation.collectRollouts,
  evaluation.rewardProfile,
  list.listBenchmarks,
  general.version,
  general.help,
];

/** The umbrella's binaries: the whole tree under one name. */
export const UMBRELLAS: readonly string[] = ["ng", "gym"];

/** What the groups of the tree hold. */
export const GROUPS: Readonly<Record<string, string>> = {
  env: "start, inspect and check environments",
  eval: "collect rollouts and report on them",
  list: "what can be run",
};

/** Every spelling of a command as a binary of its own. */
export function binariesOf(command: CommandSpec): string[] {
  return [`ng-${command.name}`, `ng_${command.name.replaceAll("-", "_")}`, ...(command.aliases ?? [])];
}

/** The command that a binary stands for. */
export function commandOfBinary(binary: string): CommandSpec | undefined {
  return COMMANDS.find((command) => binariesOf(command).includes(binary));
}
