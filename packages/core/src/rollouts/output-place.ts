/** Looks at where a run would write, before it writes: what is there is renamed or appended to, so it must be a file, and not the input. */
import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { GymError } from "../errors/index.ts";
import { archivablePaths } from "./paths.ts";

/** @throws GymError NG_ERR_FILE naming the path that is a folder, a device or a pipe */
export async function requireFiles(output: string): Promise<void> {
  for (const path of archivablePaths(output)) {
    const found = await lookAt(path);
    if (found === undefined || found.isFile()) continue;
    throw new GymError("NG_ERR_FILE", `cannot write ${path}: it is ${kindOf(found)}, expected a file or nothing`, {
      hint: "Give another output: every run writes several files beside it.",
      details: { path },
    });
  }
}

/** @throws GymError NG_ERR_FILE where a fresh run would rename its own input */
export async function requireOtherThanInput(input: string, output: string): Promise<void> {
  const own = await lookAt(input);
  if (own === undefined) return;
  for (const path of archivablePaths(output)) {
    const found = await lookAt(path);
    if (found === undefined || found.ino !== own.ino || found.dev !== own.dev) continue;
    throw new GymError("NG_ERR_FILE", `the input ${input} is a file that this run would write itself`, {
      hint: "Give another output.",
      details: { path },
    });
  }
}

async function lookAt(path: string): Promise<Stats | undefined> {
  return stat(path).catch(() => undefined);
}

function kindOf(found: Stats): string {
  if (found.isDirectory()) return "a folder";
  if (found.isFIFO()) return "a pipe";
  if (found.isSocket()) return "a socket";
  return "a device";
}
