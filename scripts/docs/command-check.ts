/** Whether the commands that a page shows exist, with flags that exist: asked from the command line's own parser. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, route } from "../../packages/cli/src/args/index.ts";
import { binariesOf, COMMANDS, UMBRELLAS } from "../../packages/cli/src/table/index.ts";
import { shellCommands } from "./shell-words.ts";

/** Looks like one of our binaries, whether it is one or not. */
const OURS = /^(?:(?:ng|gym)[-_][a-z0-9_-]+|ng|gym)$/;
/** The project itself. */
const NOT_COMMANDS = new Set(["ng-gym", "ng_gym"]);

export interface CommandContext {
  /** The repository. */
  root: string;
  /** Folders in which names such as `--resources-server mcqa` are looked for. */
  searchRoots: readonly string[];
}

export interface CommandProblem {
  /** From 1, within the text. */
  line: number;
  message: string;
}

/** What is wrong with the commands in a shell text. */
export async function commandProblems(text: string, context: CommandContext): Promise<CommandProblem[]> {
  const problems: CommandProblem[] = [];
  for (const { words, line } of shellCommands(text)) {
    const message = await problemOf(words, context);
    if (message !== undefined) problems.push({ line, message });
  }
  return problems;
}

/** True for text in running prose that starts with a binary of ours that there is not: `ng-colect-rollouts +x=y`. */
export function isUnknownBinary(text: string): boolean {
  const word = text.split(/\s/)[0] as string;
  return OURS.test(word) && !NOT_COMMANDS.has(word) && !isBinary(word);
}

function isBinary(word: string): boolean {
  return UMBRELLAS.includes(word) || COMMANDS.some((command) => binariesOf(command).includes(word));
}

async function problemOf(words: readonly string[], { root, searchRoots }: CommandContext): Promise<string | undefined> {
  const [program = "", ...args] = words;
  if (program === "npm") return scriptProblem(args, root);
  if (program === "node" || program === "bash") {
    const file = args.find((word) => !word.startsWith("-"));
    return file === undefined || !/^[\w./-]+\.\w+$/.test(file) || existsSync(join(root, file)) ? undefined : `there is no file ${file}`;
  }
  if (!OURS.test(program) || NOT_COMMANDS.has(program)) return undefined;
  try {
    const at = route(program, args);
    if (at.kind === "command") await parse(at, { env: {}, rootsOf: async () => searchRoots });
    return undefined;
  } catch (error) {
    return `${words.slice(0, 3).join(" ")}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function scriptProblem(args: readonly string[], root: string): string | undefined {
  const name = args[0] === "run" ? args[1] : args[0] === "test" ? "test" : undefined;
  if (name === undefined) return undefined;
  const { scripts = {} } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts?: Record<string, string> };
  return Object.hasOwn(scripts, name) ? undefined : `package.json has no script ${name}`;
}
