import { isOneLetter, normalized } from "./python-text.ts";

export interface Choices {
  /** Upper-case letters on offer. */
  letters: ReadonlySet<string>;
  /** Their texts in the order of the row; a letter named twice is listed twice, with null where one of the two has no text. */
  texts: readonly { letter: string; text: string | null }[];
}

/** The letters of one option entry: keys of a single letter, upper-cased; other keys are not options. */
export function alphabeticKeys(option: Record<string, string | null>): string[] {
  return Object.keys(option)
    .filter(isOneLetter)
    .map((key) => key.toUpperCase());
}

export function choicesOf(options: readonly Record<string, string | null>[]): Choices {
  const entries = options.flatMap((option) =>
    Object.entries(option)
      .filter(([key]) => isOneLetter(key))
      .map(([key, text]) => ({ letter: key.toUpperCase(), text: text === null ? null : normalized(text) })),
  );
  const letters = new Set(entries.filter((entry) => entry.text !== null).map((entry) => entry.letter));
  return { letters, texts: entries.filter((entry) => letters.has(entry.letter)) };
}

/** `letter` where it is on offer, else null. */
export function offered(letter: string | undefined, choices: Choices): string | null {
  return letter !== undefined && choices.letters.has(letter) ? letter : null;
}

/** Letters of the other scripts that multilingual sets use, and of the full-width block. */
const SCRIPT_LETTERS: Record<string, string> = {
  أ: "A",
  ب: "B",
  ج: "C",
  د: "D",
  অ: "A",
  ব: "B",
  ড: "C",
  ঢ: "D",
  Ａ: "A",
  Ｂ: "B",
  Ｃ: "C",
  Ｄ: "D",
};
const SCRIPT_LETTER = new RegExp(`[${Object.keys(SCRIPT_LETTERS).join("")}]`, "gu");

/** The text with Arabic, Bengali and full-width option letters as A to D. */
export function latinLetters(text: string): string {
  return text.replace(SCRIPT_LETTER, (letter) => SCRIPT_LETTERS[letter] ?? letter);
}
