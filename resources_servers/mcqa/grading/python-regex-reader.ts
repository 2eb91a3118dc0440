/** What the parts of the pattern reader share. */

export interface Flags {
  dotAll: boolean;
  multiline: boolean;
  verbose: boolean;
  ascii: boolean;
  ignoreCase: boolean;
}

export interface Width {
  min: number;
  max: number;
}

export interface Piece extends Width {
  /** JavaScript source of it. */
  source: string;
  /** Python refuses to repeat it. */
  unrepeatable?: boolean;
}

export interface Reader {
  chars: string[];
  at: number;
  flags: Flags;
  /** By group number from 1; null while the group is open. */
  widths: (Width | null)[];
  names: Map<string, number>;
  atomics: number;
}

export class PatternError extends Error {}

/** Python takes these four as one letter when case does not count; JavaScript's folding keeps the dotless and the dotted one apart. */
export const LETTERS_I: readonly string[] = ["i", "I", "ı", "İ"];

/** One code point, safe outside and inside a class. */
export function escaped(char: string): string {
  return /^[A-Za-z0-9]$/.test(char) ? char : `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}

export function literal(char: string, flags: Flags): string {
  return flags.ignoreCase && LETTERS_I.includes(char) ? "[iI\\u{131}\\u{130}]" : escaped(char);
}

/** An atomic group: a lookahead never gives back what it took. */
export function atomic(reader: Reader, content: Piece): Piece {
  const name = `a${++reader.atomics}`;
  return { source: `(?:(?=(?<${name}>${content.source}))\\k<${name}>)`, min: content.min, max: content.max };
}
