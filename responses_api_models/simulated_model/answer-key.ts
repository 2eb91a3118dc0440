/** What the simulated model knows: question -> letter. */

/** By `questionKey`. */
export type AnswerKey = ReadonlyMap<string, string>;

/** Two texts that differ in white space only are the same question. */
export function questionKey(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
