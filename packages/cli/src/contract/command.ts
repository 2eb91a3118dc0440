/** What a command is to `main`: a function of its input that returns data, and how that data reads. */
import type { GymError } from "@ng-gym/core/errors";
import type { Terminal } from "../terminal/index.ts";
import type { OptionSpec } from "./spec.ts";

export interface Catalogue {
  list(): string;
  /** Help of the command with this name, with or without `ng-`. */
  help(name: string): string | undefined;
}

export interface CommandInput {
  /** How the user calls this command: `ng-run`, `gym env start`. For messages. */
  calledAs: string;
  /** Hydra tokens in order: those of flags, then the user's own. */
  overrides: readonly string[];
  /** Values of flags that are no configuration key, by long flag; a switch that was given is `["true"]`. */
  values: ReadonlyMap<string, readonly string[]>;
  /** The command's options, for messages about parameters. */
  options: readonly OptionSpec[];
  env: Record<string, string | undefined>;
  cwd: string;
  /** What commands there are, as text. */
  catalogue: Catalogue;
  /** Aborts at the first interrupt: stop in order, keep what there is. */
  signal: AbortSignal;
}

// biome-ignore lint/suspicious/noExplicitAny: the table holds commands of every result and event type; each module is checked against its own
export interface CommandModule<Result = any, Event = any> {
  /** @throws GymError for everything a person can act on. */
  execute(input: CommandInput, emit: (event: Event) => void): Promise<Result>;
  /** Shows the events while the command works (standard error, or standard output for what is itself a result). Absent: it emits none. */
  follow?(terminal: Terminal): (event: Event) => void;
  /** The result for people, with its last line feed; empty = nothing. */
  text(result: Result): string;
  /** The result as one JSON value. */
  json?(result: Result): unknown;
  /** Default 0. */
  exitCode?(result: Result): number;
  /** Why the exit code is not 0 although there is a result; shown after it. */
  problem?(result: Result): GymError | undefined;
  /** Lines for standard error beside the result, such as warnings. */
  notices?(result: Result): string[];
}
