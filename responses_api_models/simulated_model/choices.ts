/** The options of a multiple-choice question as a reader sees them in its text: `A) oak  B) pine`, `(A) oak`, `A. oak`, `A: oak`. */

export interface Choice {
  letter: string;
  text: string;
}

/** Longest run of options that is looked for. */
const MAX_CHOICES = 26;

/** The options in the text, A first; empty where there are not at least two in a row. With several lists, the last one. */
export function findChoices(text: string): Choice[] {
  const markers = [...text.matchAll(/(?<![\p{L}\p{N}])\(?([A-Z])[).:](?=\s)/gu)];
  let run: { letter: string; start: number; end: number }[] = [];
  let best: typeof run = [];
  for (const marker of markers) {
    const letter = marker[1] as string;
    const expected = String.fromCharCode(65 + run.length);
    if (letter === "A") run = [];
    else if (letter !== expected || run.length >= MAX_CHOICES) continue;
    run.push({ letter, start: marker.index, end: marker.index + marker[0].length });
    if (run.length >= 2) best = run;
  }
  return best.map(({ letter, end }, i) => ({ letter, text: firstPhrase(text.slice(end, best[i + 1]?.start)) }));
}

/** Up to the end of the line, or of the sentence where more text follows on the same line. */
function firstPhrase(text: string): string {
  return (
    text
      .trim()
      .split(/\n|\.\s/)[0]
      ?.replace(/[.,;\s]+$/, "") ?? ""
  );
}

/** How the question wants its answer written. */
export function answerLine(question: string, letter: string): string {
  const boxed = /\\?boxed/.test(question);
  return !boxed && /answer\s*\*{0,2}\s*:/i.test(question) ? `Answer: ${letter}` : `\\boxed{${letter}}`;
}
