/**
 * Appends lines to a file. Lines that arrive while a write is under way go out together in the next one. After an error (disk full) the file is
 * cut back to its last whole line, so nothing half written stays, and every later call fails with the same error.
 */
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import type { GymError } from "../errors/index.ts";
import { fileError } from "./file-errors.ts";
import { WRITE_BUFFER_BYTES } from "./limits.ts";
import { makeFolder } from "./make-folder.ts";

export interface LineWriter {
  /** Resolves once the line is in the file. @throws GymError NG_ERR_FILE */
  append(line: string): Promise<void>;
  /** Takes the line; gives a promise to wait for only where too much is held. @throws GymError NG_ERR_FILE */
  push(line: string): Promise<void> | undefined;
  /** Writes what is held, syncs and closes. @throws GymError NG_ERR_FILE */
  close(): Promise<void>;
  /** The error that ended writing. */
  readonly failed: GymError | undefined;
}

interface Pending {
  bytes: Buffer;
  settle?: (error?: GymError) => void;
}

/** `flags` "a" goes on after what is there, "wx" wants a new file. */
export async function openLineWriter(path: string, flags: "a" | "w" | "wx"): Promise<LineWriter> {
  let handle: FileHandle;
  let wholeBytes: number;
  try {
    await makeFolder(dirname(path));
    handle = await open(path, flags);
    wholeBytes = (await handle.stat()).size;
  } catch (error) {
    throw fileError(path, "write", error);
  }
  let queue: Pending[] = [];
  let heldBytes = 0;
  let failed: GymError | undefined;
  let draining: Promise<void> | undefined;

  async function drain(): Promise<void> {
    // The microtask gap lets lines of the same turn join the first write.
    await Promise.resolve();
    while (queue.length > 0) {
      const batch = queue;
      queue = [];
      const data = batch.length === 1 ? (batch[0] as Pending).bytes : Buffer.concat(batch.map((pending) => pending.bytes));
      let written = 0;
      try {
        while (written < data.length) written += (await handle.write(data, written, data.length - written, null)).bytesWritten;
      } catch (error) {
        failed = fileError(path, "write", error);
      }
      heldBytes -= data.length;
      await settle(batch, written);
      if (failed !== undefined) {
        for (const pending of queue.splice(0)) pending.settle?.(failed);
        heldBytes = 0;
      }
    }
    draining = undefined;
  }

  async function settle(batch: Pending[], written: number): Promise<void> {
    let end = 0;
    const torn = batch.filter((pending) => {
      end += pending.bytes.length;
      if (end > written) return true;
      wholeBytes += pending.bytes.length;
      pending.settle?.();
      return false;
    });
    if (torn.length > 0) await handle.truncate(wholeBytes).catch(() => undefined);
    for (const pending of torn) pending.settle?.(failed);
  }

  function hold(line: string, onSettled?: Pending["settle"]): void {
    if (failed !== undefined) throw failed;
    const bytes = Buffer.from(`${line}\n`, "utf8");
    queue.push({ bytes, settle: onSettled });
    heldBytes += bytes.length;
    draining ??= drain();
  }

  async function flush(): Promise<void> {
    await draining;
    if (failed !== undefined) throw failed;
  }

  return {
    append: (line) =>
      new Promise((resolve, reject) => {
        hold(line, (error) => (error === undefined ? resolve() : reject(error)));
      }),
    push(line) {
      hold(line);
      return heldBytes > WRITE_BUFFER_BYTES ? flush() : undefined;
    },
    async close() {
      try {
        await flush();
        await handle.datasync();
      } catch (error) {
        failed ??= fileError(path, "write", error);
        throw failed;
      } finally {
        await handle.close().catch(() => undefined);
      }
    },
    get failed() {
      return failed;
    },
  };
}
