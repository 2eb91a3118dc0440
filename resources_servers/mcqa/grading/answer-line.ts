import { GymError } from "@ng-gym/core/errors";
import { unwrapped } from "./boxed.ts";
import { type Choices, offered } from "./choices.ts";
import { isOneLetter, normalized, PY_SPACE, pyStrip } from "./python-text.ts";

const ANSWER_LINE = new RegExp(`answer[${PY_SPACE}]*:[${PY_SPACE}]*([^\\n]+)`, "iu");

/**
 * What follows the first `answer:`, to the end of its line: a single letter of either case, or exactly the text of an option.
 * Throws `GymError` NG_ERR_VERIFIER where the comparison meets an option without text beside its own letter.
 */
export function fromAnswerLine(answer: string, choices: Choices): string | null {
  const line = ANSWER_LINE.exec(answer)?.[1];
  if (line === undefined) return null;
  const payload = unwrapped(pyStrip(line));
  const letter = isOneLetter(payload) ? offered(payload.toUpperCase(), choices) : null;
  if (letter !== null) return letter;
  const wanted = normalized(payload);
  for (const choice of choices.texts) {
    if (choice.text === null)
      throw new GymError("NG_ERR_VERIFIER", `option ${choice.letter}: expected a text, got null`, {
        hint: "Give the option a text in the data set.",
      });
    if (choice.text === wanted) return choice.letter;
  }
  return null;
}
