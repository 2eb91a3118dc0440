/** What an unquoted word means on the command line and in resolver arguments (the same lexer in Hydra and OmegaConf; unlike YAML's). */
import { MAX_INTEGER_DIGITS } from "./limits.ts";
import { small } from "./yaml-scalars.ts";

export interface Typed {
  type: "null" | "bool" | "int" | "float" | "str";
  value: null | boolean | number | bigint | string;
}

const INT = /^[+-]?(?:0|[1-9](?:_?[0-9])*)$/;
const DIGITS = "[0-9](?:_?[0-9])*";
const INT_PART = "(?:0|[1-9](?:_?[0-9])*)";
const FLOAT = new RegExp(
  `^[+-]?(?:(?:${INT_PART}?\\.${DIGITS}|${INT_PART}\\.?)(?:[eE][+-]?${DIGITS})|${INT_PART}?\\.${DIGITS}|${INT_PART}\\.|inf|nan)$`,
  "i",
);

/** The value of one unquoted word, blanks at its edges already gone. */
export function typedWord(word: string): Typed {
  if (/^null$/i.test(word)) return { type: "null", value: null };
  if (/^(?:true|false)$/i.test(word)) return { type: "bool", value: word.toLowerCase() === "true" };
  const first = word.charCodeAt(0);
  const numeric = (first >= 43 && first <= 57) || /^(?:inf|nan)$/i.test(word);
  // Python refuses to read longer integers; as a text it is at least shown as it was written.
  if (!numeric || word.length > MAX_INTEGER_DIGITS) return { type: "str", value: word };
  if (INT.test(word)) return { type: "int", value: small(BigInt(word.replaceAll("_", "").replace(/^\+/, ""))) };
  if (FLOAT.test(word)) return { type: "float", value: floatWord(word) };
  return { type: "str", value: word };
}

function floatWord(word: string): number {
  const digits = word.replaceAll("_", "").toLowerCase();
  if (digits.endsWith("nan")) return Number.NaN;
  if (digits.endsWith("inf")) return digits.startsWith("-") ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return Number(digits);
}

/** Blanks at the edges go unless the source escapes them. */
export function trimUnescaped(source: string, unescaped: string): string {
  const isBlank = (index: number): boolean => source[index] === " " || source[index] === "\t";
  let head = 0;
  while (isBlank(head)) head++;
  let end = source.length;
  while (end > head && isBlank(end - 1)) end--;
  let backslashes = 0;
  while (source[end - 1 - backslashes] === "\\") backslashes++;
  const tail = source.length - end - (backslashes % 2);
  return unescaped.slice(head, unescaped.length - Math.max(0, tail));
}
