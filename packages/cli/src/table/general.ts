/** Commands about the toolkit itself. */
import { commands } from "../commands/index.ts";
import type { CommandSpec } from "../contract/index.ts";
import { json } from "./options.ts";

export const version: CommandSpec = {
  name: "version",
  summary: "show versions of the toolkit, its runtime and the machine",
  example: "ng-version --json",
  options: [json],
  load: commands.version,
};

export const help: CommandSpec = {
  name: "help",
  summary: "list all commands, or show the help of one",
  example: "ng-help",
  options: [],
  positional: { name: "command", help: "name of a command" },
  overrides: false,
  load: commands.help,
};
