/**
 * Large arrays that no hop looks at (token ids, log-probs, expert routing) cross it as text: `parseJson` leaves them as `RawJson`,
 * `stringifyJson` writes the same bytes back. A body without the four keys costs a plain `JSON.parse` and four `indexOf`.
 */
import { endOfNumberArray, isBlank } from "./raw-scan.ts";

/** Keys whose arrays stay text. */
export const RAW_KEYS = ["prompt_token_ids", "generation_token_ids", "generation_log_probs", "routed_experts"] as const;
/** Arrays with a shorter text are parsed: below this, keeping text costs more than it saves. */
export const RAW_THRESHOLD_CHARS = 256;

const RAW_KEY_SET: ReadonlySet<string> = new Set(RAW_KEYS);
const QUOTED_KEYS = RAW_KEYS.map((key) => `"${key}"`);
let ownMark: string | undefined;
/** What stands for a raw text inside JSON while it is parsed or written. Random, so that no body can hold it; made when the first raw text is met. */
function mark(): string {
  ownMark ??= `raw-json-${crypto.randomUUID()}-`;
  return ownMark;
}

/** Raw texts met by the `stringifyJson` that is running. */
let writing: RawJson[] | undefined;

/** The text of a JSON array of numbers. Immutable; copies of the object around it share it. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
    Object.freeze(this);
  }

  /** Inside `stringifyJson` a mark that is replaced by the text; in a plain `JSON.stringify` the parsed array, so that the result is right either way. */
  toJSON(): unknown {
    if (writing === undefined) return JSON.parse(this.text);
    writing.push(this);
    return mark() + (writing.length - 1);
  }
}

export function isRaw(value: unknown): value is RawJson {
  return value instanceof RawJson;
}

/** The array itself. @throws Error where the value is neither raw nor an array: callers validate first. */
export function rawToArray<T = number>(value: unknown): T[] {
  if (value instanceof RawJson) return JSON.parse(value.text) as T[];
  if (Array.isArray(value)) return value as T[];
  throw new Error("rawToArray expects an array or RawJson");
}

/**
 * `JSON.parse` that leaves long arrays of numbers under the raw keys as `RawJson`.
 * @throws SyntaxError as `JSON.parse` does.
 */
export function parseJson(text: string): unknown {
  const spans = rawSpans(text);
  if (spans.length === 0) return JSON.parse(text);
  const raws: RawJson[] = [];
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end } of spans) {
    pieces.push(text.slice(from, start), `"${mark()}${raws.length}"`);
    raws.push(new RawJson(text.slice(start, end)));
    from = end;
  }
  pieces.push(text.slice(from));
  const root = parseAround(pieces.join(""), text);
  restore(root, raws);
  return root;
}

/** Parses the text without its raw arrays. Where that fails, so does the whole text, and its error names the right position. */
function parseAround(reduced: string, text: string): unknown {
  try {
    return JSON.parse(reduced);
  } catch {
    return JSON.parse(text);
  }
}

interface Span {
  start: number;
  end: number;
}

/** Places of the array texts that stay raw, in order. */
function rawSpans(text: string): Span[] {
  const spans: Span[] = [];
  for (const quoted of QUOTED_KEYS) {
    for (let at = text.indexOf(quoted); at !== -1; at = text.indexOf(quoted, at + 1)) {
      const start = arrayAfterKey(text, at, quoted.length);
      const end = start === -1 ? -1 : endOfNumberArray(text, start);
      if (end - start >= RAW_THRESHOLD_CHARS) spans.push({ start, end });
    }
  }
  return spans.sort((left, right) => left.start - right.start);
}

/**
 * Position of the `[` that follows the quoted text as its key, or -1. Inside a string each quote has a backslash before it, so a quoted name
 * after `{` or `,` is a key in any valid JSON; in invalid JSON the rest of the text fails to parse with or without the array.
 */
function arrayAfterKey(text: string, at: number, length: number): number {
  let before = at - 1;
  while (isBlank(text.charCodeAt(before))) before--;
  if (text[before] !== "{" && text[before] !== ",") return -1;
  let after = at + length;
  while (isBlank(text.charCodeAt(after))) after++;
  if (text[after] !== ":") return -1;
  after++;
  while (isBlank(text.charCodeAt(after))) after++;
  return text[after] === "[" ? after : -1;
}

/** Puts the raw values where their marks are. Iterative, because a body may be nested deeper than the stack. */
function restore(root: unknown, raws: readonly RawJson[]): void {
  const open: object[] = typeof root === "object" && root !== null ? [root] : [];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (Array.isArray(node)) {
      for (const value of node) if (typeof value === "object" && value !== null) open.push(value);
      continue;
    }
    const object = node as Record<string, unknown>;
    for (const key of Object.keys(object)) {
      const value = object[key];
      if (typeof value === "object" && value !== null) open.push(value);
      else if (typeof value === "string" && RAW_KEY_SET.has(key) && value.startsWith(mark()))
        object[key] = raws[Number(value.slice(mark().length))];
    }
  }
}

/** Compact JSON text of a value; raw texts are written as they are. `undefined` at the top is written as `null`. */
export function stringifyJson(value: unknown): string {
  const outer = writing;
  const raws: RawJson[] = [];
  writing = raws;
  let text: string;
  try {
    text = JSON.stringify(value) ?? "null";
  } finally {
    writing = outer;
  }
  if (raws.length === 0) return text;
  const pieces: string[] = [];
  let from = 0;
  for (let index = 0; index < raws.length; index++) {
    const marked = `"${mark()}${index}"`;
    const at = text.indexOf(marked, from);
    pieces.push(text.slice(from, at), (raws[index] as RawJson).text);
    from = at + marked.length;
  }
  pieces.push(text.slice(from));
  return pieces.join("");
}
