/**
 * JSON of the wire. Large arrays that no hop looks at cross it as bytes: reading leaves them as `RawJson`, writing writes the same bytes. A body
 * without the raw keys costs a plain `JSON.parse`.
 */
import { JSON_DEPTH_LIMIT, positionBeyondDepth } from "./depth.ts";
import { jsonPieces, RawJson, rawMark } from "./raw.ts";
import { RAW_KEYS, RAW_THRESHOLD_CHARS } from "./raw-keys.ts";
import { arrayAfterKey, endOfCheckedArray, endOfNumberArray } from "./raw-scan.ts";

export interface ParseOptions {
  /** True where a server of ours sent the text: it has looked at the numbers of large arrays. */
  checked?: boolean;
  /** Keys whose arrays stay raw; default `RAW_KEYS`. */
  keys?: readonly string[];
}

/**
 * `JSON.parse` that leaves long arrays of numbers under the raw keys as `RawJson`.
 * @throws SyntaxError as `JSON.parse` does, and where the text is nested deeper than `JSON_DEPTH_LIMIT`.
 */
export function parseJson(text: string): unknown {
  if (text.length < RAW_THRESHOLD_CHARS || !hasKey(text, RAW_KEYS)) return parseBounded(text);
  return parseJsonBytes(Buffer.from(text));
}

/** Most bodies are short and have no raw key: a search in their text is cheaper than one in their bytes. */
const SHORT_BYTES = 16_384;

function hasKey(text: string, keys: readonly string[]): boolean {
  for (const key of keys) if (text.includes(key)) return true;
  return false;
}

/** `parseJson` of the bytes of a text; bytes that are no UTF-8 become U+FFFD. @throws as `parseJson`. */
export function parseJsonBytes(bytes: Buffer, { checked = false, keys = RAW_KEYS }: ParseOptions = {}): unknown {
  if (bytes.length < SHORT_BYTES) {
    const text = bytes.toString("utf8");
    if (bytes.length < RAW_THRESHOLD_CHARS || !hasKey(text, keys)) return parseBounded(text);
  }
  const spans = rawSpans(bytes, keys, checked);
  if (spans.length === 0) return parseBounded(bytes.toString("utf8"));
  const raws: RawJson[] = [];
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end } of spans) {
    pieces.push(bytes.toString("utf8", from, start), `"${rawMark()}${raws.length}"`);
    raws.push(new RawJson(bytes.subarray(start, end), !checked));
    from = end;
  }
  pieces.push(bytes.toString("utf8", from));
  const root = parseAround(pieces.join(""), bytes);
  restore(root, raws, new Set(keys));
  return root;
}

/** Parses the text without its raw arrays. Where that fails, so does the whole text, and its error names the right position. */
function parseAround(reduced: string, bytes: Buffer): unknown {
  try {
    return parseBounded(reduced);
  } catch {
    return parseBounded(bytes.toString("utf8"));
  }
}

function parseBounded(text: string): unknown {
  const position = positionBeyondDepth(text);
  if (position !== -1) throw new SyntaxError(`Nested deeper than ${JSON_DEPTH_LIMIT} levels in JSON at position ${position}`);
  return JSON.parse(text);
}

interface Span {
  start: number;
  end: number;
}

/**
 * Places of the arrays that stay raw, in order. Inside a string each quote has a backslash before it, so a quoted name after `{` or `,` is a key in any
 * valid JSON; in invalid JSON the rest of the text fails to parse with or without the array.
 */
function rawSpans(bytes: Buffer, keys: readonly string[], checked: boolean): Span[] {
  const spans: Span[] = [];
  const endOf = checked ? endOfCheckedArray : endOfNumberArray;
  for (const key of keys) {
    const quoted = `"${key}"`;
    for (let at = bytes.indexOf(quoted, 0, "latin1"); at !== -1; at = bytes.indexOf(quoted, at + 1, "latin1")) {
      const start = arrayAfterKey(bytes, at, quoted.length);
      const end = start === -1 ? -1 : endOf(bytes, start);
      if (end - start >= RAW_THRESHOLD_CHARS) {
        spans.push({ start, end });
        at = end;
      }
    }
  }
  return spans.sort((left, right) => left.start - right.start);
}

/** Puts the raw values where their marks are. Iterative, because a body may be nested deeper than the stack. */
function restore(root: unknown, raws: readonly RawJson[], keys: ReadonlySet<string>): void {
  const mark = rawMark();
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
      else if (typeof value === "string" && keys.has(key) && value.startsWith(mark)) object[key] = raws[Number(value.slice(mark.length))];
    }
  }
}

/**
 * Compact JSON text of a value; raw texts are written as they are. `undefined` at the top is written as `null`.
 * @throws GymError NG_ERR_DATA for a value that is nested deeper than the stack, and for a raw text that is malformed.
 */
export function stringifyJson(value: unknown): string {
  const [first = "", ...rest] = jsonPieces(value);
  return rest.length === 0 ? String(first) : [first, ...rest].map((piece) => (piece instanceof RawJson ? piece.text : piece)).join("");
}

/**
 * What `stringifyJson` gives, for a socket: bytes where there are raw values, which are copied without a look at them, else text.
 * @throws GymError NG_ERR_DATA for a value that is nested deeper than the stack.
 */
export function jsonBody(value: unknown): string | Buffer {
  const parts = jsonParts(value);
  return typeof parts === "string" ? parts : Buffer.concat(parts);
}

/** `jsonBody` for who can write one part after the other: nothing is copied. @throws as `jsonBody`. */
export function jsonParts(value: unknown): string | Buffer[] {
  const pieces = jsonPieces(value);
  if (pieces.length === 1) return pieces[0] as string;
  return pieces.map((piece) => (piece instanceof RawJson ? piece.bytes : Buffer.from(piece)));
}
