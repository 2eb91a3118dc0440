/** Escapes and character classes of a Python pattern. `\w`, `\d`, `\s` and `\b` know all of Unicode, as in Python. */
import { escaped, LETTERS_I, literal, PatternError, type Piece, type Reader } from "./python-regex-reader.ts";
import { PY_SPACE } from "./python-text.ts";

const CONTROLS: Record<string, string> = { a: "\u0007", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v", "\\": "\\" };
const HEX_DIGITS: Record<string, number> = { x: 2, u: 4, U: 8 };

/** The set of `\d`, `\s`, `\w` (and their opposites) as a nested class; undefined for any other letter. */
function setOf(letter: string, ascii: boolean): string | undefined {
  const sets: Record<string, string> = ascii
    ? { d: "0-9", s: " \\t-\\r", w: "A-Za-z0-9_" }
    : { d: "\\p{Nd}", s: PY_SPACE, w: "\\p{L}\\p{N}_" };
  const set = sets[letter.toLowerCase()];
  if (set === undefined) return undefined;
  return letter === letter.toLowerCase() ? `[${set}]` : `[^${set}]`;
}

/** What follows a backslash outside a class. */
export function readEscape(reader: Reader): Piece {
  const char = reader.chars[reader.at] ?? "";
  const { flags } = reader;
  const set = setOf(char, flags.ascii);
  if (set !== undefined) {
    reader.at++;
    // Folding would let the Kelvin sign and the long s into the ASCII sets.
    return { source: flags.ascii ? `(?-i:${set})` : set, min: 1, max: 1 };
  }
  const word = setOf("w", flags.ascii);
  const anchors: Record<string, string> = {
    A: "(?<![^])",
    Z: "(?![^])",
    b: `(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))`,
    // Never in an empty text, as up to Python 3.13.
    B: `(?:(?<=${word})(?=${word})|(?<!${word})(?!${word})(?:(?<=[^])|(?=[^])))`,
  };
  const anchor = anchors[char];
  if (anchor !== undefined) {
    reader.at++;
    return { source: anchor, min: 0, max: 0, unrepeatable: true };
  }
  if (/^[1-9]$/.test(char)) return readReference(reader);
  return { source: literal(readCharacter(reader), flags), min: 1, max: 1 };
}

/** `\1` to `\99`, or three octal digits. */
function readReference(reader: Reader): Piece {
  const digits = /^(?:[0-7]{3}|[1-9][0-9]?)/.exec(reader.chars.slice(reader.at, reader.at + 3).join(""))?.[0] ?? "";
  reader.at += digits.length;
  if (digits.length === 3) return { source: literal(octal(digits), reader.flags), min: 1, max: 1 };
  const width = reader.widths[Number(digits) - 1];
  if (width === undefined || width === null) throw new PatternError("invalid group reference");
  return { source: `\\k<g${Number(digits)}>`, min: width.min, max: width.max };
}

/** One character after a backslash: a control, a code, or a sign for itself. Letters without a meaning are an error. */
function readCharacter(reader: Reader): string {
  const char = reader.chars[reader.at++];
  if (char === undefined) throw new PatternError("bad escape (end of pattern)");
  const control = CONTROLS[char];
  if (control !== undefined) return control;
  const length = HEX_DIGITS[char];
  if (length !== undefined) {
    const code = reader.chars.slice(reader.at, reader.at + length).join("");
    const value = Number.parseInt(code, 16);
    if (!/^[0-9a-fA-F]+$/.test(code) || code.length !== length || value > 0x10ffff) throw new PatternError("incomplete escape");
    reader.at += length;
    return String.fromCodePoint(value);
  }
  if (/^[0-7]$/.test(char)) {
    const digits = /^[0-7]{1,3}/.exec(reader.chars.slice(reader.at - 1, reader.at + 2).join(""))?.[0] ?? "0";
    reader.at += digits.length - 1;
    return octal(digits);
  }
  if (/^[A-Za-z0-9]$/.test(char)) throw new PatternError(`bad escape \\${char}`);
  return char;
}

function octal(digits: string): string {
  const value = Number.parseInt(digits, 8);
  if (value > 0o377) throw new PatternError("octal escape value outside of range 0-0o377");
  return String.fromCodePoint(value);
}

/** A character class; the opening bracket is read already. */
export function readClass(reader: Reader): Piece {
  const negated = reader.chars[reader.at] === "^";
  if (negated) reader.at++;
  const start = reader.at;
  let source = "";
  while (reader.chars[reader.at] !== "]" || reader.at === start) {
    const low = readMember(reader);
    const isRange = reader.chars[reader.at] === "-" && reader.chars[reader.at + 1] !== "]";
    if (!isRange) {
      source += low.set ?? literal(low.char, reader.flags);
      continue;
    }
    reader.at++;
    const high = readMember(reader);
    if (low.set !== undefined || high.set !== undefined || codeOf(high.char) < codeOf(low.char))
      throw new PatternError("bad character range");
    source += `${escaped(low.char)}-${escaped(high.char)}`;
    if (reader.flags.ignoreCase && LETTERS_I.some((letter) => codeOf(letter) >= codeOf(low.char) && codeOf(letter) <= codeOf(high.char)))
      source += "\\u{131}\\u{130}iI";
  }
  reader.at++;
  return { source: `[${negated ? "^" : ""}${source}]`, min: 1, max: 1 };
}

function readMember(reader: Reader): { char: string; set?: string | undefined } {
  const char = reader.chars[reader.at++];
  if (char === undefined) throw new PatternError("unterminated character set");
  if (char !== "\\") return { char };
  const next = reader.chars[reader.at] ?? "";
  const set = setOf(next, reader.flags.ascii);
  if (set !== undefined || next === "b") {
    reader.at++;
    return { char: "\b", set };
  }
  return { char: readCharacter(reader) };
}

function codeOf(char: string): number {
  return char.codePointAt(0) ?? 0;
}
