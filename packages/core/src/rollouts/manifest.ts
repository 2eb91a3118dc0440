/** `S_manifest.json`: the fingerprint of a run and the history of its starts. What it says decides whether a resume may go on. */

import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { GymError, messageOf } from "../errors/index.ts";
import { fileError } from "../jsonl/index.ts";
import type { Fingerprint } from "./fingerprint.ts";
import { isRecord } from "./row.ts";

export interface RunRecord {
  started: string;
  finished: string | null;
  dispatched: number;
  cached: number;
  /** Set where a resume went on although fingerprints differed. */
  forced?: string[];
  /** Seconds a rollout: what the summary shows. */
  latency?: { count: number; median: number; p90: number; p99: number; max: number };
  interrupted?: boolean;
}

export interface Manifest {
  version: 1;
  fingerprint: Fingerprint;
  /** Materialized rows and the digest over them. */
  rows: number;
  rows_digest: string;
  runs: RunRecord[];
}

/** Undefined where there is none. @throws GymError NG_ERR_FILE, NG_ERR_DATA where it is not a manifest */
export async function readManifest(path: string): Promise<Manifest | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw fileError(path, "read", error);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new GymError("NG_ERR_DATA", `${path} is not JSON: ${messageOf(error)}`, { cause: error });
  }
  if (!isRecord(value) || value.version !== 1 || !isRecord(value.fingerprint) || !Array.isArray(value.runs)) {
    throw new GymError("NG_ERR_DATA", `${path} is not a run manifest of version 1`, {
      hint: "It was written by another version: give another output, or move it away to resume without it.",
    });
  }
  return value as unknown as Manifest;
}

/** @throws GymError NG_ERR_FILE */
export async function writeManifest(path: string, manifest: Manifest): Promise<void> {
  const temporary = `${path}.tmp`;
  try {
    await writeFile(temporary, `${JSON.stringify(manifest, null, 2)}\n`);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw fileError(path, "write", error);
  }
}
