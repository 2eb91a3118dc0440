import { atomic, PatternError, type Piece, type Reader } from "./python-regex-reader.ts";

/** `atom` with the quantifier that follows it, if one does. A brace that is no quantifier stays for the next atom. */
export function readQuantifier(reader: Reader, atom: Piece): Piece {
  const range = readRange(reader);
  if (range === undefined) return atom;
  if (atom.unrepeatable === true) throw new PatternError("nothing to repeat");
  const mark = reader.chars[reader.at];
  if (mark === "?" || mark === "+") reader.at++;
  const piece = {
    source: `(?:${atom.source}){${range.min},${range.max === Number.POSITIVE_INFINITY ? "" : range.max}}${mark === "?" ? "?" : ""}`,
    min: atom.min * range.min,
    max: atom.max === 0 || range.max === 0 ? 0 : atom.max * range.max,
  };
  const before = reader.at;
  if (readRange(reader) !== undefined) throw new PatternError("multiple repeat");
  reader.at = before;
  return mark === "+" ? atomic(reader, piece) : piece;
}

const SIGNS: Record<string, [number, number]> = { "*": [0, Number.POSITIVE_INFINITY], "+": [1, Number.POSITIVE_INFINITY], "?": [0, 1] };

function readRange(reader: Reader): { min: number; max: number } | undefined {
  const char = reader.chars[reader.at] ?? "";
  const sign = SIGNS[char];
  if (sign !== undefined) {
    reader.at++;
    return { min: sign[0], max: sign[1] };
  }
  if (char !== "{") return undefined;
  const close = reader.chars.indexOf("}", reader.at);
  const text = close < 0 ? "" : reader.chars.slice(reader.at + 1, close).join("");
  const parts = /^(\d*)(,?)(\d*)$/.exec(text);
  if (text === "" || parts === null) return undefined;
  const min = parts[1] === "" ? 0 : Number(parts[1]);
  const max = parts[2] === "" ? min : parts[3] === "" ? Number.POSITIVE_INFINITY : Number(parts[3]);
  if (max < min) throw new PatternError("min repeat greater than max repeat");
  if (max !== Number.POSITIVE_INFINITY && max > 2 ** 32 - 2) throw new PatternError("the repetition number is too large");
  reader.at = close + 1;
  return { min, max };
}
