/**
 * What is wrong with a command line. `main` makes the `GymError` (NG_ERR_USAGE) of it: this folder loads nothing but commander, so that help
 * stays quick.
 */
import { closest } from "./similar.ts";

export class UsageProblem extends Error {
  override readonly name = "UsageProblem";
  /** Usage line of the command that the line belongs to. */
  readonly usage: string;
  readonly hint: string | undefined;

  constructor(message: string, options: { usage: string; hint?: string }) {
    super(message);
    this.usage = options.usage;
    this.hint = options.hint;
  }
}

/** "Did you mean X?", where something is close. */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  const found = closest(word, candidates);
  return found === undefined ? undefined : `Did you mean ${found}?`;
}
