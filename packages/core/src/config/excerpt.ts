/** The line of a problem with a caret below: masked, and a window of it where it is long. */
import { MASK, maskLine } from "./secrets.ts";
import { lineOf, type Origin, placeOf } from "./source.ts";

/** Characters of a line that are shown around the caret. */
const WIDTH = 120;
/** Lines past this are cut before they are masked, at the last comma or bracket ahead of the caret. */
const MAX_LINE = 4_000;

/** Two lines: text and caret. `secret`: the value at the caret is one, so nothing from there on is shown. */
export function excerptOf(at: Origin, secret: boolean): string {
  const { text, column } = windowOf(lineOf(at), placeOf(at).column - 1);
  // The part ahead of the caret is masked on its own, so that the caret stays under its character.
  const before = maskLine(text.slice(0, column));
  const masked = secret ? `${before}${text.length > column ? MASK : ""}` : maskLine(text);
  const line = masked.startsWith(before) ? masked : before;
  const start = Math.max(0, before.length - WIDTH / 2);
  const shown = line.slice(start, start + WIDTH).replace(/\t/g, " ");
  const lead = start > 0 || text.length < lineOf(at).length ? "..." : "";
  return `${lead}${shown}${line.length > start + WIDTH ? "..." : ""}\n${" ".repeat(lead.length + before.length - start)}^`;
}

function windowOf(line: string, column: number): { text: string; column: number } {
  if (line.length <= MAX_LINE) return { text: line, column };
  const near = line.slice(Math.max(0, column - WIDTH), column);
  const cut = Math.max(near.lastIndexOf(", "), near.lastIndexOf("{"), near.lastIndexOf("["));
  const start = cut === -1 ? column : column - near.length + cut + 1;
  return { text: line.slice(start, start + 2 * WIDTH), column: column - start };
}
