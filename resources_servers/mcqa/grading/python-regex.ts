/**
 * Python's `re` patterns as JavaScript regular expressions: data sets carry patterns written for Python.
 *
 * A recursive-descent reader of the pattern writes the JavaScript source (flags `g`, `i`, `v`) as it goes; what Python refuses is refused, so that a
 * bad pattern finds nothing in both. Groups of the pattern become `g1`, `g2`, ...; helpers for atomic groups `a1`, ... Not known: conditional
 * groups, `\N{...}`, and the non-empty match that Python also looks for where it found an empty one. Source: Python 3.13, `re` in the library reference.
 */

import { readClass, readEscape } from "./python-regex-class.ts";
import { readQuantifier } from "./python-regex-quantifier.ts";
import { atomic, literal, PatternError, type Piece, type Reader } from "./python-regex-reader.ts";

export interface PythonRegex {
  /** Global; the pattern's groups are `match.groups.g1`, ... */
  regex: RegExp;
  groups: number;
}

/** `re.compile(pattern, re.IGNORECASE)`; undefined where Python would raise. */
export function compilePythonRegex(pattern: string): PythonRegex | undefined {
  const reader: Reader = {
    chars: [...pattern],
    at: 0,
    flags: { dotAll: false, multiline: false, verbose: false, ascii: false, ignoreCase: true },
    widths: [],
    names: new Map(),
    atomics: 0,
  };
  try {
    const piece = readAlternatives(reader, 0);
    if (reader.at < reader.chars.length) throw new PatternError("unbalanced parenthesis");
    return { regex: new RegExp(piece.source, "giv"), groups: reader.widths.length };
  } catch (error) {
    if (error instanceof PatternError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function readAlternatives(reader: Reader, depth: number): Piece {
  const branches: Piece[] = [];
  do branches.push(readSequence(reader, depth, branches.length === 0));
  while (take(reader, "|"));
  return {
    source: branches.map((branch) => branch.source).join("|"),
    min: Math.min(...branches.map((branch) => branch.min)),
    max: Math.max(...branches.map((branch) => branch.max)),
  };
}

function readSequence(reader: Reader, depth: number, firstBranch: boolean): Piece {
  const whole: Piece = { source: "", min: 0, max: 0 };
  while (reader.at < reader.chars.length) {
    if (skipRemark(reader)) continue;
    const char = reader.chars[reader.at];
    if (char === "|" || char === ")") break;
    readQuantifier(reader, NOTHING);
    const atom = readAtom(reader, { depth, first: firstBranch && whole.source === "" });
    while (skipRemark(reader));
    const piece = readQuantifier(reader, atom ?? NOTHING);
    whole.source += piece.source;
    whole.min += piece.min;
    whole.max += piece.max;
  }
  return whole;
}

const NOTHING: Piece = { source: "", min: 0, max: 0, unrepeatable: true };

/** One atom; undefined for global flags, which stand for nothing. */
function readAtom(reader: Reader, place: { depth: number; first: boolean }): Piece | undefined {
  const char = reader.chars[reader.at++] ?? "";
  const { flags } = reader;
  if (char === "(") return readGroup(reader, place);
  if (char === "[") return readClass(reader);
  if (char === "\\") return readEscape(reader);
  if (char === ".") return { source: flags.dotAll ? "[^]" : "[^\\n]", min: 1, max: 1 };
  if (char === "^") return { source: flags.multiline ? "(?<![^\\n])" : "(?<![^])", min: 0, max: 0, unrepeatable: true };
  if (char === "$") return { source: flags.multiline ? "(?![^\\n])" : "(?=\\n?(?![^]))", min: 0, max: 0, unrepeatable: true };
  return { source: literal(char, flags), min: 1, max: 1 };
}

function readGroup(reader: Reader, place: { depth: number; first: boolean }): Piece | undefined {
  if (!take(reader, "?")) return capture(reader, place.depth, undefined);
  const kind = reader.chars[reader.at++] ?? "";
  if (kind === ":") return wrapped("(?:", inner(reader, place.depth));
  if (kind === "=" || kind === "!") return { ...wrapped(`(?${kind}`, inner(reader, place.depth)), min: 0, max: 0 };
  if (kind === ">") return atomic(reader, inner(reader, place.depth));
  if (kind === "<") return lookBehind(reader, place.depth);
  if (kind === "P") return namedGroup(reader, place.depth);
  reader.at--;
  return flagGroup(reader, place);
}

function lookBehind(reader: Reader, depth: number): Piece {
  const kind = reader.chars[reader.at++];
  if (kind !== "=" && kind !== "!") throw new PatternError("unknown extension ?<");
  const content = inner(reader, depth);
  if (content.min !== content.max) throw new PatternError("look-behind requires fixed-width pattern");
  return { ...wrapped(`(?<${kind}`, content), min: 0, max: 0 };
}

function namedGroup(reader: Reader, depth: number): Piece {
  const kind = reader.chars[reader.at++];
  const close = kind === "<" ? ">" : ")";
  const end = reader.chars.indexOf(close, reader.at);
  const name = reader.chars.slice(reader.at, end).join("");
  if ((kind !== "<" && kind !== "=") || end < 0 || !/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name)) throw new PatternError("bad group name");
  reader.at = end + 1;
  if (kind === "<") return capture(reader, depth, name);
  const number = reader.names.get(name);
  const width = number === undefined ? undefined : reader.widths[number - 1];
  if (width === undefined || width === null) throw new PatternError("unknown group name");
  return { source: `\\k<g${number}>`, ...width };
}

function capture(reader: Reader, depth: number, name: string | undefined): Piece {
  const number = reader.widths.push(null);
  if (name !== undefined) {
    if (reader.names.has(name)) throw new PatternError("redefinition of group name");
    reader.names.set(name, number);
  }
  const content = inner(reader, depth);
  reader.widths[number - 1] = { min: content.min, max: content.max };
  return wrapped(`(?<g${number}>`, content);
}

/** `(?imsx)` for the rest of the pattern, `(?ims-ims:...)` for a group. */
function flagGroup(reader: Reader, place: { depth: number; first: boolean }): Piece | undefined {
  const text = /^([aiLmsux]*)(?:-([imsx]+))?([:)])/.exec(reader.chars.slice(reader.at, reader.at + 20).join(""));
  const [whole, on, off, end] = text ?? [];
  if (whole === undefined || on === undefined || on.includes("L")) throw new PatternError("unknown extension");
  if ((on + (off ?? "") === "" && end !== ":") || (on.includes("a") && on.includes("u"))) throw new PatternError("bad flags");
  reader.at += whole.length;
  const before = reader.flags;
  const has = (flag: string, now: boolean): boolean => (off?.includes(flag) ? false : now || on.includes(flag));
  const ascii = on.includes("u") ? false : before.ascii || on.includes("a");
  reader.flags = {
    dotAll: has("s", before.dotAll),
    multiline: has("m", before.multiline),
    verbose: has("x", before.verbose),
    ignoreCase: has("i", before.ignoreCase),
    ascii,
  };
  if (end === ")") {
    if (off !== undefined || place.depth > 0 || !place.first) throw new PatternError("global flags not at the start of the expression");
    return undefined;
  }
  const open = before.ignoreCase === reader.flags.ignoreCase ? "(?:" : reader.flags.ignoreCase ? "(?i:" : "(?-i:";
  const content = inner(reader, place.depth);
  reader.flags = before;
  return wrapped(open, content);
}

function inner(reader: Reader, depth: number): Piece {
  const content = readAlternatives(reader, depth + 1);
  if (!take(reader, ")")) throw new PatternError("missing ), unterminated subpattern");
  return content;
}

function wrapped(open: string, content: Piece): Piece {
  return { source: `${open}${content.source})`, min: content.min, max: content.max };
}

function take(reader: Reader, char: string): boolean {
  if (reader.chars[reader.at] !== char) return false;
  reader.at++;
  return true;
}

/** Passes over a comment, or over white space where that is no part of the pattern; false where there is none. */
function skipRemark(reader: Reader): boolean {
  const { chars } = reader;
  if (chars[reader.at] === "(" && chars[reader.at + 1] === "?" && chars[reader.at + 2] === "#") {
    reader.at = chars.indexOf(")", reader.at) + 1;
    if (reader.at === 0) throw new PatternError("missing ), unterminated comment");
    return true;
  }
  const char = chars[reader.at];
  if (!reader.flags.verbose || char === undefined) return false;
  if (/^[ \t\n\r\v\f]$/.test(char)) reader.at++;
  else if (char === "#") while (reader.at < chars.length && chars[reader.at++] !== "\n");
  else return false;
  return true;
}
