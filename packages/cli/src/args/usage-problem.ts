/**
 * What is wrong with a command line. `main` makes the `GymError` (NG_ERR_USAGE) of it: until then this folder loads nothing but commander, so
 * that help stays quick.
 */

export interface UsageProblemOptions {
  /** Usage line of the command that the line belongs to. */
  usage: string;
  hint?: string | undefined;
  /** A word that may be misspelt, and what it could have been. The closest of them goes before the hint. */
  near?: { word: string; candidates: readonly string[] };
}

export class UsageProblem extends Error {
  override readonly name = "UsageProblem";
  readonly options: UsageProblemOptions;

  constructor(message: string, options: UsageProblemOptions) {
    super(message);
    this.options = options;
  }

  /** What to do about it. */
  async hint(): Promise<string | undefined> {
    const { near, hint } = this.options;
    return (near === undefined ? undefined : await didYouMean(near.word, near.candidates)) ?? hint;
  }
}

/** "Did you mean X?", where something is close. */
export async function didYouMean(word: string, candidates: Iterable<string>): Promise<string | undefined> {
  const { suggest } = await import("@ng-gym/core/config");
  const [found] = suggest(word, candidates, 1);
  return found === undefined ? undefined : `Did you mean ${found}?`;
}
