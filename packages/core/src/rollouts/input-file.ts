/** Where an input is found: NEMO_GYM_EXTRA_ROOTS first, then the current folder. */
import { existsSync } from "node:fs";
import { delimiter, isAbsolute, resolve } from "node:path";
import { GymError } from "../errors/index.ts";

export interface Surroundings {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** The first of the roots in which the path exists, else undefined. */
export function findInRoots(path: string, around: Surroundings): string | undefined {
  if (isAbsolute(path)) return existsSync(path) ? path : undefined;
  const roots = (around.env.NEMO_GYM_EXTRA_ROOTS ?? "").split(delimiter).filter((root) => root !== "");
  return [...roots, around.cwd].map((root) => resolve(around.cwd, root, path)).find((candidate) => existsSync(candidate));
}

/** @throws GymError NG_ERR_FILE naming the path and the flag that gave it */
export function requireInput(path: string, flag: string, around: Surroundings): string {
  const found = findInRoots(path, around);
  if (found !== undefined) return found;
  throw new GymError("NG_ERR_FILE", `input file not found: '${path}' (${flag})`, {
    hint: `Check the spelling; relative paths are searched in NEMO_GYM_EXTRA_ROOTS and in ${around.cwd}.`,
    details: { path },
  });
}
