/** On request, rows whose judge gave no usable answer leave the main file for the sidecar, so that resume runs them again. */

import { existsSync } from "node:fs";
import { readdir, rename, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { stringifyJson } from "../json/index.ts";
import { fileError, openLineWriter, readRows } from "../jsonl/index.ts";
import { keyText } from "./keys.ts";
import { isTruthy, keyOf, type Row } from "./row.ts";

const MOVED = "_ng_migrated_invalid_judge_response";
/** Files in a deliverables folder that are not a deliverable. */
const NOT_DELIVERED = new Set([
  "finish_params.json",
  "history.json",
  "history.pkl",
  "inprogress_history.json",
  "metadata.json",
  "log.txt",
  "reference_files",
]);

/**
 * Rows moved. The sidecar is written and synced before the main file is replaced, and a row that is already there is not written twice, so that an
 * interruption between the two loses and doubles nothing.
 * @throws GymError NG_ERR_FILE, NG_ERR_DATA
 */
export async function moveInvalidJudgeRows(paths: { rollouts: string; failures: string }, cwd: string): Promise<number> {
  const invalid: Row[] = [];
  for await (const { row } of readRows(paths.rollouts, { skipBlank: true })) if (isTruthy(row.invalid_judge_response)) invalid.push(row);
  if (invalid.length === 0) return 0;
  const alreadyMoved = new Set<string>();
  if (existsSync(paths.failures)) {
    for await (const { row } of readRows(paths.failures, { skipBlank: true })) {
      const key = keyOf(row);
      if (key !== undefined && row[MOVED] === true) alreadyMoved.add(keyText(key));
    }
  }
  const sidecar = await openLineWriter(paths.failures, "a");
  for (const row of invalid) {
    const key = keyOf(row);
    if (key !== undefined && alreadyMoved.has(keyText(key))) continue;
    await sidecar.push(stringifyJson(await failureOf(row, cwd)));
  }
  await sidecar.close();
  await rewriteWithout(paths.rollouts);
  return invalid.length;
}

async function failureOf(row: Row, cwd: string): Promise<Row> {
  const { _ng_failure_terminal: _terminal, reuse_cached_deliverable: _reuse, ...rest } = row;
  const out: Row = { ...rest, _ng_failure_class: row._ng_failure_class ?? "judge_invalid" };
  if (typeof row.deliverables_dir === "string" && (await hasDeliverable(resolve(cwd, row.deliverables_dir))))
    out.reuse_cached_deliverable = true;
  return { ...out, [MOVED]: true };
}

async function hasDeliverable(folder: string): Promise<boolean> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.some((entry) => entry.isFile() && !NOT_DELIVERED.has(entry.name));
}

async function rewriteWithout(path: string): Promise<void> {
  const temporary = `${path}.tmp`;
  const writer = await openLineWriter(temporary, "w");
  try {
    for await (const { row } of readRows(path, { skipBlank: true }))
      if (!isTruthy(row.invalid_judge_response)) await writer.push(stringifyJson(row));
    await writer.close();
    await rename(temporary, path);
  } catch (error) {
    await writer.close().catch(() => undefined);
    await rm(temporary, { force: true });
    throw fileError(path, "write", error);
  }
}
