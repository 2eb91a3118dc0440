import { GymError } from "@ng-gym/core/errors";
import { type Choices, latinLetters } from "./choices.ts";
import { compilePythonRegex } from "./python-regex.ts";
import { isOneLetter, normalized, pyStrip } from "./python-text.ts";

/**
 * The last match of the row's own pattern: a single letter, on offer or not, or exactly the text of an option. An invalid pattern finds nothing.
 * Throws `GymError` NG_ERR_VERIFIER where the pattern matches and has more than one group.
 */
export function fromTemplate(answer: string, pattern: string, choices: Choices): string | null {
  const compiled = compilePythonRegex(pattern);
  if (compiled === undefined) return null;
  let last: RegExpMatchArray | undefined;
  for (const match of answer.matchAll(compiled.regex)) last = match;
  if (last === undefined) return null;
  if (compiled.groups > 1) {
    throw new GymError("NG_ERR_VERIFIER", `template_metadata.output_regex: expected at most one group, got ${compiled.groups}`, {
      hint: "Write (?:...) for groups that only hold things together.",
    });
  }
  const captured = pyStrip(latinLetters(((compiled.groups === 1 ? last.groups?.g1 : last[0]) ?? "").normalize("NFKC")));
  const letter = captured.toUpperCase();
  if (isOneLetter(letter)) return letter;
  const wanted = normalized(captured);
  return choices.texts.find(({ text }) => text !== null && text !== "" && text === wanted)?.letter ?? null;
}
