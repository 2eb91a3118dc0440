/** A file whose writer was killed may end in half a line. The half is cut off; a whole last line without its line feed gets one. */
import { type FileHandle, open } from "node:fs/promises";
import { fileError } from "./file-errors.ts";
import { READ_CHUNK_BYTES } from "./limits.ts";
import { isRecord } from "./row.ts";

/**
 * Bytes cut off the end, 0 for a sound file; undefined where the file does not exist. A last line that is JSON by accident (`12`) is no row and is cut too.
 * @throws GymError NG_ERR_FILE
 */
export async function repairTail(path: string): Promise<number | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(path, "r+");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw fileError(path, "read", error);
  }
  try {
    const { size } = await handle.stat();
    const start = await lastLineStart(handle, size);
    if (start === size) return 0;
    const tail = Buffer.alloc(size - start);
    await handle.read(tail, 0, tail.length, start);
    if (isWholeRow(tail.toString("utf8"))) {
      await handle.write("\n", size);
      return 0;
    }
    await handle.truncate(start);
    return size - start;
  } catch (error) {
    throw fileError(path, "write", error);
  } finally {
    await handle.close();
  }
}

function isWholeRow(text: string): boolean {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
}

/** Position behind the last line feed, found from the end. */
async function lastLineStart(handle: FileHandle, size: number): Promise<number> {
  let end = size;
  while (end > 0) {
    const length = Math.min(READ_CHUNK_BYTES, end);
    const block = Buffer.alloc(length);
    await handle.read(block, 0, length, end - length);
    const at = block.lastIndexOf(0x0a);
    if (at >= 0) return end - length + at + 1;
    end -= length;
  }
  return 0;
}
