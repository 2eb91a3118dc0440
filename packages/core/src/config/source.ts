/**
 * A source is a text that configuration values come from. An origin is a place in it; line and column are worked out only when
 * somebody asks, because nearly nobody does.
 */
export type SourceKind = "file" | "override" | "initial" | "default" | "generated" | "environment";

export interface Source {
  readonly kind: SourceKind;
  /** File path, or what the source is called in a message. */
  readonly name: string;
  readonly text: string;
}

export interface Origin {
  readonly source: Source;
  readonly offset: number;
}

export interface Place {
  /** 1-based. */
  line: number;
  /** 1-based, in UTF-16 units. */
  column: number;
}

const lineStarts = new WeakMap<Source, number[]>();

export function placeOf(origin: Origin): Place {
  const starts = startsOf(origin.source);
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= origin.offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: origin.offset - (starts[low] ?? 0) + 1 };
}

/** The text of the line that holds the origin, without its line end. */
export function lineOf(origin: Origin): string {
  const { line } = placeOf(origin);
  const starts = startsOf(origin.source);
  const start = starts[line - 1] ?? 0;
  const next = starts[line];
  return origin.source.text.slice(start, next === undefined ? undefined : next - 1).replace(/\r$/, "");
}

/** Values that no text stands for: defaults, generated blocks. */
export function madeUp(kind: SourceKind, name: string): Origin {
  return { source: { kind, name, text: "" }, offset: 0 };
}

function startsOf(source: Source): number[] {
  const known = lineStarts.get(source);
  if (known !== undefined) return known;
  const starts = [0];
  for (let at = source.text.indexOf("\n"); at !== -1; at = source.text.indexOf("\n", at + 1)) starts.push(at + 1);
  lineStarts.set(source, starts);
  return starts;
}
