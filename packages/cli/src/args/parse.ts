/** One command's arguments -> override tokens and values. */
import { delimiter } from "node:path";
import type { CommandSpec } from "../contract/index.ts";
import { normalise } from "./normalise.ts";
import { allOptions, readLine, usageOf } from "./program.ts";
import type { Route } from "./route.ts";
import { select } from "./selectors.ts";
import { coalesceConfigPaths, optionTokens, positionalToken } from "./tokens.ts";
import { UsageProblem } from "./usage-problem.ts";

export type CommandRoute = Extract<Route, { kind: "command" }>;

export type Parsed =
  | { kind: "help" }
  | {
      kind: "call";
      /** Hydra tokens in order. */
      overrides: string[];
      /** Values of flags and of the positional (by its name) that set no key. */
      values: Map<string, readonly string[]>;
      json: boolean;
      env: Record<string, string | undefined>;
      notices: string[];
    };

export interface ParseOptions {
  env: Record<string, string | undefined>;
  /** Folders in which configuration files are looked for, given the environment. */
  rootsOf: (env: Record<string, string | undefined>) => Promise<readonly string[]>;
}

const EXTRA_ROOTS = "NEMO_GYM_EXTRA_ROOTS";

/** @throws UsageProblem */
export async function parse(at: CommandRoute, options: ParseOptions): Promise<Parsed> {
  const { command } = at;
  const usage = usageOf(command, at.calledAs);
  const { given, words } = readLine(command, normalise(at.argv, allOptions(command), usage));
  if (given.has("--help") || words.some((word) => /^\+{0,2}(h|help)=(true|yes|on|1)$/i.test(word))) return { kind: "help" };
  if (at.short && command.needsFlag !== undefined) given.set(command.needsFlag.flag, ["true"]);
  checkChoices(command, given, usage);
  const wrong = command.check?.(given);
  if (wrong !== undefined) throw new UsageProblem(wrong, { usage });

  const env = { ...options.env };
  const searchDirs = given.get("--search-dir") ?? [];
  if (searchDirs.length > 0) env[EXTRA_ROOTS] = [...searchDirs, env[EXTRA_ROOTS] ?? ""].filter((root) => root !== "").join(delimiter);

  const notices: string[] = [];
  const paths = await configPaths(command, given, { usage, notices, roots: () => options.rootsOf(env) });
  const { positional, tokens } = splitWords(command, words, usage);
  const all = coalesceConfigPaths(paths, [
    ...(command.preset ?? []),
    ...positional,
    ...optionTokens(command.options, given, usage),
    ...tokens,
  ]);
  const overrides = given.has("--verbose") ? ["+verbose=true", ...all] : all;
  if (command.needsFlag !== undefined && !given.has(command.needsFlag.flag)) {
    throw new UsageProblem(command.needsFlag.otherwise, { usage, hint: `Add ${command.needsFlag.flag}.` });
  }
  const values = new Map<string, readonly string[]>(given);
  if (command.positional !== undefined && command.positional.key === undefined && words[0] !== undefined)
    values.set(command.positional.name, words.slice(0, 1));
  return { kind: "call", overrides, values, json: wantsJson(command, given, tokens), env, notices };
}

/** `--json`, or the same as a token. */
function wantsJson(command: CommandSpec, given: ReadonlyMap<string, unknown>, tokens: readonly string[]): boolean {
  if (given.has("--json")) return true;
  return command.options.some((option) => option.key === "json") && tokens.some((token) => /^\+{1,2}json=(true|yes|on|1)$/i.test(token));
}

async function configPaths(
  command: CommandSpec,
  given: ReadonlyMap<string, readonly string[]>,
  at: { usage: string; notices: string[]; roots: () => Promise<readonly string[]> },
): Promise<string[]> {
  const paths: string[] = [];
  for (const option of command.options) {
    if (option.selector === undefined) continue;
    for (const value of given.get(option.flags[0] as string) ?? []) {
      if (option.selector === "config") paths.push(value);
      else {
        const selection = await select(option.selector, value, { roots: await at.roots(), usage: at.usage });
        paths.push(selection.path);
        at.notices.push(...selection.notices);
      }
    }
  }
  return paths;
}

/** The first word is the positional unless it is an override. */
function splitWords(command: CommandSpec, words: readonly string[], usage: string): { positional: string[]; tokens: readonly string[] } {
  const first = words[0];
  const isPositional = command.positional !== undefined && first !== undefined && !/=|^[+~]/.test(first);
  const tokens = isPositional ? words.slice(1) : words;
  if (command.overrides === false && tokens[0] !== undefined) {
    throw new UsageProblem(`${JSON.stringify(tokens[0])} is not understood: this command takes no overrides`, { usage });
  }
  return { positional: isPositional && command.positional?.key !== undefined ? [positionalToken(command.positional, first)] : [], tokens };
}

function checkChoices(command: CommandSpec, given: ReadonlyMap<string, readonly string[]>, usage: string): void {
  for (const option of command.options) {
    const choices = option.choices;
    const wrong = choices === undefined ? undefined : given.get(option.flags[0] as string)?.find((value) => !choices.includes(value));
    if (choices === undefined || wrong === undefined) continue;
    throw new UsageProblem(`${option.flags[0]} must be one of ${choices.join(", ")}; got ${JSON.stringify(wrong)}`, {
      usage,
      near: { word: wrong, candidates: choices },
    });
  }
}
