/**
 * How a key of the configuration is reached from the command line. A table of decisions is typed over the schema of its keys, so that a key without a
 * decision does not compile; flags, help and documentation are made from it.
 */
import type { OptionSpec } from "./spec.ts";

/** An option without its key, which is the name of its entry. `part`: it sets only this key below it. */
export interface FlagSpec extends Omit<OptionSpec, "key" | "selector"> {
  part?: string;
}

export type OptionDecision =
  /** By one or more flags, and by `+key=value` like everything else. */
  | { flags: readonly FlagSpec[]; about?: string }
  /** Only by `+key=value` or in a file; the sentence is for help and documentation. */
  | { override: string }
  /** Accepted and not shown: the reason. */
  | { hidden: string };

/** One decision for every key of a schema's type. */
export type Decisions<Parameters> = { readonly [Key in keyof Required<Parameters> & string]: OptionDecision };

/** The options of these keys, in order. */
export function optionsOf<Table extends Readonly<Record<string, OptionDecision | string>>>(
  table: Table,
  ...keys: (keyof Table & string)[]
): OptionSpec[] {
  return keys.flatMap((key) => {
    const decision = table[key];
    if (typeof decision !== "object" || !("flags" in decision)) return [];
    return decision.flags.map(({ part, ...flag }) => ({ ...flag, key: part === undefined ? key : `${key}.${part}` }));
  });
}

/** Keys that have no flag, with their sentences. */
export function keysWithoutFlag(table: Readonly<Record<string, OptionDecision>>): { key: string; about: string }[] {
  return Object.entries(table).flatMap(([key, decision]) => ("override" in decision ? [{ key, about: decision.override }] : []));
}

/** What each shown key is for, as documentation writes it. */
export function sentencesOf(table: Readonly<Record<string, OptionDecision>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(table).flatMap(([key, decision]) => {
      if ("hidden" in decision || ("flags" in decision && decision.flags.every((flag) => flag.hidden === true))) return [];
      const text = "override" in decision ? decision.override : (decision.about ?? decision.flags[0]?.help ?? "");
      return [[key, `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`]];
    }),
  );
}
