/** Refuses to go on with a run that was made with other data, parameters or servers. */

import { createHash } from "node:crypto";
import { GymError, isGymError } from "../errors/index.ts";
import { stringifyJson } from "../json/index.ts";
import { readLines, readRows } from "../jsonl/index.ts";
import { differences, type Fingerprint, promptDigest, serverBlocks, shapingParameters } from "./fingerprint.ts";
import { findInRoots } from "./input-file.ts";
import type { Manifest } from "./manifest.ts";
import { type PlanOptions, planRun } from "./plan.ts";
import { loadPrompt } from "./prompt.ts";
import { loadSkills } from "./skills.ts";

export interface GuardOptions extends Omit<PlanOptions, "target" | "emit"> {
  manifest: Manifest | undefined;
  config: Readonly<Record<string, unknown>>;
  materialized: string;
}

export interface GuardFindings {
  differences: string[];
  /** The input is gone, empty, or cannot be planned again: the materialized rows alone say what to run. */
  inputNotCompared: boolean;
}

/** What differs between the earlier run and this one. A run without a manifest (the reference made it) is compared by its materialized rows. */
export async function compareWithEarlierRun(options: GuardOptions): Promise<GuardFindings> {
  const { manifest } = options;
  const isThere = findInRoots(options.parameters.input_jsonl_fpath, options.around) !== undefined;
  if (manifest === undefined) return isThere ? compareRows(options) : { differences: [], inputNotCompared: true };
  const before = manifest.fingerprint;
  const now = await currentFingerprint({ ...options, servers: Object.keys(before.servers), before });
  return { differences: differences(before, now), inputNotCompared: !isThere };
}

/**
 * The fingerprint of the settings given now. Files that are gone cannot be compared and what they gave is in the materialized rows, so for
 * them the earlier value stands.
 */
export async function currentFingerprint(
  options: Pick<GuardOptions, "parameters" | "around" | "config"> & { servers: Iterable<string>; before?: Fingerprint },
): Promise<Fingerprint> {
  const { parameters, around, before } = options;
  const input = before?.input === null ? undefined : findInRoots(parameters.input_jsonl_fpath, around);
  const prompt = parameters.prompt_config === null ? null : findInRoots(parameters.prompt_config, around);
  const skills = parameters.skills === null ? null : findInRoots(parameters.skills.path, around);
  return {
    input: input === undefined ? (before?.input ?? null) : await inputDigest(input, parameters.limit ?? 0),
    parameters: shapingParameters(parameters),
    prompt: prompt === undefined ? (before?.prompt ?? null) : prompt === null ? null : promptDigest(await loadPrompt(prompt)),
    skills:
      skills === undefined
        ? (before?.skills ?? null)
        : skills === null
          ? null
          : (await loadSkills(parameters.skills?.path ?? "", skills)).hash,
    servers: serverBlocks(options.config, options.servers),
  };
}

async function compareRows(options: GuardOptions): Promise<GuardFindings> {
  const target = `${options.materialized}.compared`;
  let plan: Awaited<ReturnType<typeof planRun>>;
  try {
    plan = await planRun({ ...options, target, emit: () => undefined });
  } catch (error) {
    if (isGymError(error)) return { differences: [], inputNotCompared: true };
    throw error;
  }
  await plan.discard();
  if (plan.rows === 0) return { differences: [], inputNotCompared: true };
  const hash = createHash("sha256");
  let count = 0;
  for await (const { row } of readRows(options.materialized, { skipBlank: true })) {
    hash.update(stringifyJson(row)).update("\n");
    count++;
  }
  if (hash.digest("hex") === plan.rowsDigest) return { differences: [], inputNotCompared: false };
  return {
    differences: [`rows: the earlier run has ${count}, the input and parameters given now make ${plan.rows} others`],
    inputNotCompared: false,
  };
}

async function inputDigest(path: string, limit: number): Promise<string> {
  const hash = createHash("sha256");
  for await (const line of readLines(path)) {
    if (limit !== 0 && line.number > limit) break;
    hash.update(line.text).update("\n");
  }
  return hash.digest("hex");
}

export function mismatchError(path: string, found: string[]): GymError {
  return new GymError("NG_ERR_RESUME_MISMATCH", `${path} was made with other settings:\n  ${found.join("\n  ")}`, {
    hint: "Use the same settings, give another output, run without resume_from_cache, or go on with --force (recorded in the manifest).",
    details: { differences: found },
  });
}
