/** Reads JSON Lines files as a stream: one block in memory, line numbers from 1, byte offsets for going back to a line. */
import { type FileHandle, open } from "node:fs/promises";
import { messageOf } from "../errors/index.ts";
import { fileError, lineError } from "./file-errors.ts";
import { LINE_LIMIT_BYTES, READ_CHUNK_BYTES } from "./limits.ts";
import type { Row } from "./row.ts";

export interface Line {
  /** From 1. */
  number: number;
  /** Without the line feed. */
  text: string;
  /** Byte position of the first character. */
  offset: number;
  /** Bytes without the line feed. */
  bytes: number;
  /** False for a last line without a line feed. */
  terminated: boolean;
}

export interface NumberedRow {
  line: number;
  row: Row;
}

const LINE_FEED = 0x0a;

/** @throws GymError NG_ERR_FILE, NG_ERR_DATA for a line beyond LINE_LIMIT_BYTES */
export async function* readLines(path: string): AsyncGenerator<Line> {
  let handle: FileHandle;
  try {
    handle = await open(path, "r");
  } catch (error) {
    throw fileError(path, "read", error);
  }
  try {
    let rest: Buffer = Buffer.alloc(0);
    let offset = 0;
    let number = 0;
    while (true) {
      const chunk = Buffer.allocUnsafe(READ_CHUNK_BYTES);
      const { bytesRead } = await readOrFail(handle, path, chunk);
      if (bytesRead === 0) break;
      const data: Buffer = rest.length === 0 ? chunk.subarray(0, bytesRead) : Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
      let start = 0;
      // A long line grows `rest` block by block: look for the line feed only in what is new.
      let end = data.indexOf(LINE_FEED, rest.length);
      while (end >= 0) {
        number++;
        yield { number, text: data.toString("utf8", start, end), offset: offset + start, bytes: end - start, terminated: true };
        start = end + 1;
        end = data.indexOf(LINE_FEED, start);
      }
      rest = data.subarray(start);
      offset += start;
      if (rest.length > LINE_LIMIT_BYTES) throw lineError(path, number + 1, `the line is longer than ${LINE_LIMIT_BYTES} bytes`);
    }
    if (rest.length > 0) yield { number: number + 1, text: rest.toString("utf8"), offset, bytes: rest.length, terminated: false };
  } finally {
    await handle.close();
  }
}

async function readOrFail(handle: FileHandle, path: string, chunk: Buffer): Promise<{ bytesRead: number }> {
  try {
    return await handle.read(chunk, 0, chunk.length, null);
  } catch (error) {
    throw fileError(path, "read", error);
  }
}

export function isBlank(text: string): boolean {
  return text.trim() === "";
}

/**
 * The line as a row.
 * @throws GymError NG_ERR_DATA naming file and line where it is blank, not JSON, or not an object
 */
export function parseRow(path: string, line: Line): Row {
  if (isBlank(line.text))
    throw lineError(path, line.number, "the line is blank; expected one JSON object a line", { hint: "Remove the blank line." });
  let value: unknown;
  try {
    value = JSON.parse(line.text);
  } catch (error) {
    throw lineError(path, line.number, `the line is not JSON (${messageOf(error)})`, { cause: error });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw lineError(
      path,
      line.number,
      `expected a JSON object, got ${Array.isArray(value) ? "a list" : value === null ? "null" : `a ${typeof value}`}`,
    );
  }
  return value as Row;
}

export interface ReadRowsOptions {
  /** Pass over blank lines (files that the reference wrote may hold them); default: they are an error. */
  skipBlank?: boolean;
}

/**
 * Every row of a file, in order.
 * @throws GymError NG_ERR_FILE, NG_ERR_DATA
 */
export async function* readRows(
  path: string,
  options: ReadRowsOptions = {},
): AsyncGenerator<NumberedRow & { offset: number; bytes: number }> {
  for await (const line of readLines(path)) {
    if (options.skipBlank === true && isBlank(line.text)) continue;
    yield { line: line.number, row: parseRow(path, line), offset: line.offset, bytes: line.bytes };
  }
}
