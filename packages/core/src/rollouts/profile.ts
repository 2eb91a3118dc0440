/** The files of a reward profile: reads materialized inputs and rollouts as streams, writes three files beside the rollouts. The numbers are made by `metrics`. */

import { open, rename, rm, writeFile } from "node:fs/promises";
import { stringifyJson } from "../json/index.ts";
import { fileError, openLineWriter, readRows } from "../jsonl/index.ts";
import { createRewardProfile, type ProfileSummary, sampleOf } from "../metrics/index.ts";
import { type Emit, notice } from "./events.ts";
import { requireInput } from "./input-file.ts";
import type { ProfileParameters } from "./parameters.ts";
import { companionPath } from "./paths.ts";
import type { Row } from "./row.ts";

export interface ProfileOptions {
  parameters: ProfileParameters;
  cwd?: string;
  env?: Readonly<Record<string, string | undefined>>;
  onEvent?: Emit;
}

export interface ProfileResult {
  completed: number;
  expected: number;
  completionPct: number;
  masked: number;
  failed: number;
  tasks: { total: number; complete: number; partial: number; missing: number };
  paths: { profile: string; agentMetrics: string; repeatLevelMetrics: string };
}

/** @throws GymError NG_ERR_FILE; NG_ERR_DATA for broken lines, keys that are there twice, and rollouts or inputs without their counterpart */
export async function profileRewards(options: ProfileOptions): Promise<ProfileResult> {
  const { parameters, onEvent: emit = () => undefined } = options;
  const around = { cwd: options.cwd ?? process.cwd(), env: options.env ?? process.env };
  const inputs = requireInput(parameters.materialized_inputs_jsonl_fpath, "--inputs", around);
  const rollouts = requireInput(parameters.rollouts_jsonl_fpath, "--rollouts", around);
  const builder = createRewardProfile<{ offset: number; bytes: number }>({ allowPartialRollouts: parameters.allow_partial_rollouts });
  for await (const { row, offset, bytes } of readRows(inputs)) builder.addInput(row, { offset, bytes });
  for await (const { row } of readRows(rollouts)) builder.addRollout(row);
  const profile = builder.finish();
  const paths = {
    profile: companionPath(rollouts, "_reward_profiling.jsonl"),
    agentMetrics: companionPath(rollouts, "_agent_metrics.json"),
    repeatLevelMetrics: companionPath(rollouts, "_repeat_level_metrics.json"),
  };
  await writeTasks(paths.profile, inputs, profile.tasks());
  await writeCompact(paths.agentMetrics, profile.agentMetrics);
  await writeCompact(paths.repeatLevelMetrics, profile.repeatLevelMetrics);
  const notes = profile.notes();
  for (const { field, reason, count } of notes.leftOut)
    notice(emit, "metrics_note", `${count} values of '${field}' are in no statistic (${reason})`);
  if (notes.warnings.includes("incomplete_repeats"))
    notice(emit, "repeats_incomplete", "some repeats lack tasks: figures across repeats rest on different tasks");
  return { ...countsOf(profile.summary), paths };
}

async function writeTasks(
  path: string,
  inputs: string,
  tasks: Iterable<{ row: Row; ref: { offset: number; bytes: number } }>,
): Promise<void> {
  const temporary = `${path}.tmp`;
  const source = await open(inputs, "r");
  const writer = await openLineWriter(temporary, "w");
  try {
    for (const { row, ref } of tasks) {
      const block = Buffer.alloc(ref.bytes);
      await source.read(block, 0, ref.bytes, ref.offset);
      row.sample = sampleOf(JSON.parse(block.toString("utf8")) as Row);
      const wait = writer.push(stringifyJson(row));
      if (wait !== undefined) await wait;
    }
    await writer.close();
    await rename(temporary, path);
  } catch (error) {
    await writer.close().catch(() => undefined);
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await source.close();
  }
}

async function writeCompact(path: string, value: unknown): Promise<void> {
  const temporary = `${path}.tmp`;
  try {
    await writeFile(temporary, stringifyJson(value));
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw fileError(path, "write", error);
  }
}

function countsOf(summary: ProfileSummary): Omit<ProfileResult, "paths"> {
  return {
    completed: summary.completed_rollout_rows,
    expected: summary.expected_rollout_rows,
    completionPct: summary.reward_profile_completion_pct,
    masked: summary.masked_rollout_rows,
    failed: summary.failed_rollout_rows,
    tasks: {
      total: summary.total_input_rows,
      complete: summary.complete_input_rows,
      partial: summary.partial_input_rows,
      missing: summary.missing_input_rows,
    },
  };
}
