/** The text of a large array that no hop looks at, and what reads it where somebody does. */
import { GymError } from "../errors/index.ts";
import { endOfNumberArray } from "./raw-scan.ts";

/** Raw texts met by the writer that is running. */
let writing: RawJson[] | undefined;
let ownMark: string | undefined;

/** What stands for a raw text inside JSON while it is parsed or written. Random, so that no body can hold it; made when the first raw text is met. */
export function rawMark(): string {
  ownMark ??= `raw-json-${crypto.randomUUID()}-`;
  return ownMark;
}

/** The text of a JSON array of numbers. Immutable; copies of the object around it share it. */
export class RawJson {
  readonly bytes: Buffer;
  /** False where only whoever sent it looked at its numbers. */
  readonly checked: boolean;

  constructor(source: string | Buffer, checked = true) {
    this.bytes = typeof source === "string" ? Buffer.from(source) : source;
    this.checked = checked;
    Object.freeze(this);
  }

  /** @throws GymError NG_ERR_DATA where it turns out to be no array of numbers. */
  get text(): string {
    if (!this.checked && endOfNumberArray(this.bytes, 0) !== this.bytes.length)
      throw new GymError("NG_ERR_DATA", "an array of token data is malformed JSON");
    return this.bytes.toString("utf8");
  }

  /** Inside a writer of ours a mark that is replaced by the text; in a plain `JSON.stringify` the parsed array, so that the result is right either way. */
  toJSON(): unknown {
    if (writing === undefined) return JSON.parse(this.text);
    writing.push(this);
    return rawMark() + (writing.length - 1);
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
 * The compact JSON text of a value in pieces: text, and the raw values between. `undefined` at the top is `null`.
 * @throws GymError NG_ERR_DATA for a value that is nested deeper than the stack.
 */
export function jsonPieces(value: unknown): (string | RawJson)[] {
  const outer = writing;
  const raws: RawJson[] = [];
  writing = raws;
  let text: string;
  try {
    text = JSON.stringify(value) ?? "null";
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new GymError("NG_ERR_DATA", `a value is nested too deeply, or too long, to be written as JSON: ${error.message}`, {
      cause: error,
    });
  } finally {
    writing = outer;
  }
  if (raws.length === 0) return [text];
  const pieces: (string | RawJson)[] = [];
  let from = 0;
  for (const [index, raw] of raws.entries()) {
    const marked = `"${rawMark()}${index}"`;
    const at = text.indexOf(marked, from);
    pieces.push(text.slice(from, at), raw);
    from = at + marked.length;
  }
  pieces.push(text.slice(from));
  return pieces;
}
