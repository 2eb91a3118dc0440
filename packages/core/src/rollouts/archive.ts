/** A fresh run moves what an earlier run left under the same names out of the way. */

import { existsSync } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { fileError } from "../jsonl/index.ts";
import { archivablePaths } from "./paths.ts";

/** Matches names of archived files; no glob over `*.jsonl` does. */
export const ARCHIVED_NAME: RegExp = /\.archived-\d{8}T\d{6}Z(?:-\d+)?$/;

/**
 * Renames the output and everything beside it to `<name>.archived-<time>`; empty files are removed. Gives the new paths.
 * @throws GymError NG_ERR_FILE
 */
export async function archiveRun(output: string, now: Date = new Date()): Promise<string[]> {
  const present: string[] = [];
  for (const path of archivablePaths(output)) {
    const size = (await stat(path).catch(() => undefined))?.size;
    if (size === 0) await rm(path, { force: true });
    else if (size !== undefined) present.push(path);
  }
  const time = now.toISOString().replace(/[-:]/g, "").replace(/\.\d+/, "");
  let ending = `.archived-${time}`;
  for (let n = 2; present.some((path) => existsSync(path + ending)); n++) ending = `.archived-${time}-${n}`;
  const archived: string[] = [];
  for (const path of present) {
    try {
      await rename(path, path + ending);
    } catch (error) {
      throw fileError(path, "write", error);
    }
    archived.push(path + ending);
  }
  return archived;
}
