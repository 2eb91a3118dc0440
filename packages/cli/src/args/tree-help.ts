/** Help of the tree, and the list of all commands: both read the table. */
import type { Catalogue, CommandSpec } from "../contract/index.ts";
import { binariesOf, COMMANDS, commandOfBinary, GROUPS } from "../table/index.ts";
import { helpOf } from "./program.ts";

/** What `ng --help` (or `ng env --help`) prints. */
export function treeHelp(umbrella: string, group?: string): string {
  const members = COMMANDS.filter((command) => group === undefined || command.path?.[0] === group);
  if (group !== undefined) {
    const lines = rows(members.map((command) => [command.path?.[1] as string, command.summary]));
    return `usage: ${umbrella} ${group} <command> [options] [+key=value ...]\n\nCommands:\n${lines}\n\`${umbrella} ${group} <command> --help\` explains a command.\n`;
  }
  const groups = Object.keys(GROUPS).filter((name) => COMMANDS.some((command) => command.path?.[0] === name));
  const tree = groups.map((name) => [name, `${GROUPS[name]} (${actions(name).join(", ")})`] as const);
  const short = members.map((command) => [command.name, command.summary] as const);
  return `usage: ${umbrella} [-v] [--json] <command> [options] [+key=value ...]\n\nGroups:\n${rows(tree)}\nCommands:\n${rows(short)}\n\`${umbrella} <command> --help\` explains a command; \`${umbrella} --version\` shows versions.\n`;
}

/** The same facts for commands, which do not know the table. */
export function catalogueFor(columns: number): Catalogue {
  return {
    list: commandList,
    help: (name) => {
      const command = COMMANDS.find((one) => one.name === name) ?? commandOfBinary(name);
      return command === undefined ? undefined : helpOf(command, binariesOf(command)[0] as string, columns);
    },
  };
}

/** What `ng-help` prints: every command with its binary and its place in the tree. */
function commandList(): string {
  const lines = COMMANDS.map((command) => [binariesOf(command)[0] as string, command.summary] as const);
  const places = COMMANDS.filter((command) => command.path !== undefined).map(
    (command) => [inTree(command), `= ${binariesOf(command)[0]}`] as const,
  );
  return `usage: ng-<command> [options] [+key=value ...]\n\nCommands:\n${rows(lines)}\nThe same under \`ng\` (and \`gym\`):\n${rows(places)}\nEvery ng-<command> can also be written ng_<command>. \`ng-<command> --help\` shows flags and an example.\n`;
}

function inTree(command: CommandSpec): string {
  return ["ng", ...(command.path ?? []), ...(command.needsFlag === undefined ? [] : [command.needsFlag.flag])].join(" ");
}

function actions(group: string): string[] {
  return [...new Set(COMMANDS.filter((command) => command.path?.[0] === group).map((command) => command.path?.[1] as string))];
}

function rows(items: readonly (readonly [string, string])[]): string {
  const width = Math.max(...items.map(([name]) => name.length));
  return items.map(([name, text]) => `  ${name.padEnd(width)}  ${text}\n`).join("");
}
