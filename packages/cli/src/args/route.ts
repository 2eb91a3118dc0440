/**
 * From the name of a binary and its arguments to one command: the short forms, the tree of `ng`, and what stands before a command
 * (`ng -v env start`, `ng --json env status`, `ng --version`).
 */
import type { CommandSpec } from "../contract/index.ts";
import { COMMANDS, commandOfBinary, GROUPS, UMBRELLAS } from "../table/index.ts";
import { UsageProblem } from "./usage-problem.ts";

export type Route =
  /** Run (or explain) one command. `prefix` are global flags that stood before it. */
  | { kind: "command"; command: CommandSpec; calledAs: string; argv: readonly string[]; short: boolean }
  /** Show what the tree, or one group of it, holds. Exit code 0 where help was asked for, 1 where a command is missing. */
  | { kind: "tree"; umbrella: string; group?: string; exitCode: 0 | 1 };

const HELP = new Set(["-h", "--help"]);
/** Flags that may stand before a command of the tree. */
const GLOBAL_FLAGS = new Set(["-v", "--verbose", "--json"]);

/** @throws UsageProblem for a name or word that is no command. */
export function route(binary: string, argv: readonly string[]): Route {
  if (UMBRELLAS.includes(binary)) return routeTree(binary, argv);
  const command = commandOfBinary(binary);
  if (command !== undefined) return { kind: "command", command, calledAs: binary, argv, short: true };
  throw new UsageProblem(`${binary} is not a command of ng-gym`, { usage: "ng <command>", hint: "`ng-help` lists all commands." });
}

function routeTree(umbrella: string, argv: readonly string[]): Route {
  let at = 0;
  while (at < argv.length && GLOBAL_FLAGS.has(argv[at] as string)) at++;
  const leading = argv.slice(0, at);
  const word = argv[at];
  const rest = argv.slice(at + 1);
  if (word === undefined) return { kind: "tree", umbrella, exitCode: 1 };
  if (HELP.has(word)) return { kind: "tree", umbrella, exitCode: 0 };
  if (word === "--version") return versionRoute(umbrella, [...leading, ...rest]);
  if (Object.hasOwn(GROUPS, word)) return routeGroup({ umbrella, group: word, leading, rest });
  const command = COMMANDS.find((one) => one.name === word);
  if (command !== undefined) return { kind: "command", command, calledAs: `${umbrella} ${word}`, argv: [...leading, ...rest], short: true };
  throw unknown(`${umbrella}`, word, [
    ...Object.keys(GROUPS),
    ...COMMANDS.map((one) => one.name),
    ...(word.startsWith("-") ? ["--version", "--help", ...GLOBAL_FLAGS] : []),
  ]);
}

function routeGroup(at: { umbrella: string; group: string; leading: readonly string[]; rest: readonly string[] }): Route {
  const { umbrella, group, leading, rest } = at;
  const [word, ...argv] = rest;
  if (word === undefined) return { kind: "tree", umbrella, group, exitCode: 1 };
  if (HELP.has(word)) return { kind: "tree", umbrella, group, exitCode: 0 };
  const members = COMMANDS.filter((one) => one.path?.[0] === group);
  const command = members.find((one) => one.path?.[1] === word);
  if (command === undefined)
    throw unknown(
      `${umbrella} ${group}`,
      word,
      members.map((one) => one.path?.[1] as string),
    );
  return { kind: "command", command, calledAs: `${umbrella} ${group} ${word}`, argv: [...leading, ...argv], short: false };
}

/** `--version` takes `--json` and nothing else. */
function versionRoute(umbrella: string, rest: readonly string[]): Route {
  const extra = rest.find((token) => !GLOBAL_FLAGS.has(token));
  if (extra !== undefined) throw unknown(umbrella, extra, []);
  const command = COMMANDS.find((one) => one.name === "version") as CommandSpec;
  return { kind: "command", command, calledAs: `${umbrella} --version`, argv: rest, short: true };
}

function unknown(parent: string, word: string, candidates: readonly string[]): Error {
  const what = word.startsWith("-") ? "flag" : "command";
  return new UsageProblem(`${parent} has no ${what} ${JSON.stringify(word)}`, {
    usage: `${parent} <command>`,
    near: { word, candidates },
    hint: `\`${parent} --help\` lists what there is.`,
  });
}
