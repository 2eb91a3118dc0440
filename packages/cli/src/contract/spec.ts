/** What the command table says about a command: plain data, from which binaries, flags, help, the `ng` tree and tests are made. */
import type { CommandModule } from "./command.ts";

/** What a value is; `switch` takes none. Numbers are checked when the command reads its parameters, not when the line is parsed. */
export type ValueType = "switch" | "text" | "path" | "integer" | "number" | "list" | "url" | "name";

/** Kinds of names that stand for a configuration file: `--benchmark alpha` -> `benchmarks/alpha/config.yaml`. */
export type SelectorKind = "config" | "benchmark" | "environment" | "resources-server" | "model-type" | "agent-type";

export interface OptionSpec {
  /** Long form first: `["--model", "-m"]`. */
  flags: readonly string[];
  type: ValueType;
  help: string;
  /** The configuration key it sets. Absent: a selector, or a value of the command alone (`--explain`). */
  key?: string;
  /** Variable of the environment that is read where nothing sets the key. */
  variable?: string;
  /** It names a configuration file: goes into `config_paths`. */
  selector?: SelectorKind;
  /** May be given several times. */
  repeatable?: boolean;
  choices?: readonly string[];
  /** The value is JSON-quoted in its token, so that a name such as `true` stays text. */
  quote?: boolean;
  /** The command cannot work without the key, wherever it comes from. */
  required?: boolean;
  /** Accepted, so that a command line of the reference runs, but without effect here. */
  hidden?: boolean;
}

export interface PositionalSpec {
  name: string;
  help: string;
  /** The configuration key it sets. */
  key?: string;
  quote?: boolean;
}

export interface CommandSpec {
  /** Short form under `ng`, and the name of the binary: `ng-<name>` and `ng_<name with _>`. */
  name: string;
  /** Further binaries. */
  aliases?: readonly string[];
  /** Place in the tree of `ng` and `gym`: `["env", "start"]`. Absent: top level only. */
  path?: readonly [group: string, action: string];
  /** The flag without which the place in the tree is another command's (`eval run --no-serve`); the short forms imply it. */
  needsFlag?: { flag: string; otherwise: string };
  /** Tokens that the command's name stands for; they go before all others. */
  preset?: readonly string[];
  summary: string;
  /** More than the summary can say; a few lines. */
  description?: string;
  /** A command line that works as it stands, written with the binary. */
  example: string;
  options: readonly OptionSpec[];
  /** Keys of the command that have no flag. */
  keys?: readonly { key: string; about: string }[];
  positional?: PositionalSpec;
  /** Flags that cannot stand together or alone, checked on the line itself. Returns what is wrong. */
  check?: (given: ReadonlyMap<string, readonly string[]>) => string | undefined;
  /** False: the command takes no `+key=value` tokens. */
  overrides?: false;
  load: () => Promise<CommandModule>;
}

export function takesValue(option: OptionSpec): boolean {
  return option.type !== "switch";
}

export function hasJson(command: CommandSpec): boolean {
  return command.options.some((option) => option.flags[0] === "--json");
}
