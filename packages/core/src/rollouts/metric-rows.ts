/** Which rows a metric is computed from: the main file, and on request zeros for rollouts that failed or left no row. */

import { existsSync } from "node:fs";
import { readRows } from "../jsonl/index.ts";
import { type Emit, notice } from "./events.ts";
import { readFailures } from "./failure-history.ts";
import { keyText, rolloutSet } from "./keys.ts";
import type { RunPaths } from "./paths.ts";
import { agentOf, environmentServerOf, keyOf, type Row } from "./row.ts";

export interface CountedZeros {
  rows: Row[];
  /** Among them failed, and without any row. */
  failures: number;
  missing: number;
}

export interface CountOptions {
  paths: Pick<RunPaths, "rollouts" | "failures" | "materialized">;
  /** Failure classes that count as zero. */
  classes: readonly string[];
  missing: boolean;
  emit: Emit;
}

/** The rows that stand for unscored rollouts, each with its task's data set fields. Empty unless the run asks for them. */
export async function countedZeros(options: CountOptions): Promise<CountedZeros> {
  const { paths } = options;
  const none: CountedZeros = { rows: [], failures: 0, missing: 0 };
  if (options.classes.length === 0 && !options.missing) return none;
  const scored = rolloutSet();
  const fields = new Map<string, Set<string>>();
  for await (const { row } of readRows(paths.rollouts, { skipBlank: true })) {
    const key = keyOf(row);
    if (key !== undefined) scored.add(key);
    noteFields(fields, row);
  }
  const failures = await lastFailures(paths.failures, options.classes);
  const history = await readFailures(paths.failures, { retryTerminalTimeouts: false });
  const zeros: CountedZeros = { rows: [], failures: 0, missing: 0 };
  const settled = rolloutSet();
  let unowned = 0;
  if (existsSync(paths.materialized)) {
    for await (const { row } of readRows(paths.materialized, { skipBlank: true })) {
      const key = keyOf(row);
      if (key === undefined || scored.has(key) || !settled.add(key)) continue;
      const failure = failures.get(keyText(key));
      if (failure !== undefined) {
        zeros.rows.push(withTaskFields(counted(failure), row, fields));
        zeros.failures++;
      } else if (options.missing && !history.byKey.has(keyText(key))) {
        const zero = missingRow(row);
        if (zero === undefined) unowned++;
        else {
          zeros.rows.push(withTaskFields(zero, row, fields));
          zeros.missing++;
        }
      }
    }
  } else if (options.missing) {
    notice(options.emit, "missing_not_counted", `${paths.materialized} is not there, so missing rollouts cannot be counted as zero`);
  }
  if (unowned > 0)
    notice(
      options.emit,
      "missing_not_counted",
      `${unowned} missing rollouts name neither agent nor environment server and are not counted`,
    );
  return zeros;
}

/** The last sidecar row of every rollout whose class counts. */
async function lastFailures(path: string, classes: readonly string[]): Promise<Map<string, Row>> {
  const last = new Map<string, Row>();
  if (classes.length === 0 || !existsSync(path)) return last;
  for await (const { row } of readRows(path, { skipBlank: true })) {
    const key = keyOf(row);
    if (key === undefined) continue;
    if (classes.includes(String(row._ng_failure_class))) last.set(keyText(key), row);
    else last.delete(keyText(key));
  }
  return last;
}

/** The metric copy of a failure row: no diagnosis, not masked, reward 0 unless it has one. */
export function counted(failure: Row): Row {
  const out: Row = {};
  for (const [key, value] of Object.entries(failure)) {
    if (key.startsWith("_ng_failure_") || key === "failure_kind" || key === "failure_reason") continue;
    out[key] = value;
  }
  out.mask_sample = false;
  if (out.reward === undefined) out.reward = 0;
  return out;
}

function missingRow(row: Row): Row | undefined {
  if (agentOf(row) === undefined && environmentServerOf(row) === undefined) return undefined;
  const zero: Row = {
    _ng_task_index: row._ng_task_index,
    _ng_rollout_index: row._ng_rollout_index,
    agent_ref: row.agent_ref ?? null,
    reward: 0,
  };
  if (row._ng_environment_server !== undefined) zero._ng_environment_server = row._ng_environment_server;
  return zero;
}

function groupOf(row: Row): string {
  return agentOf(row) ?? environmentServerOf(row) ?? "";
}

function noteFields(fields: Map<string, Set<string>>, row: Row): void {
  const group = groupOf(row);
  let names = fields.get(group);
  if (names === undefined) {
    names = new Set();
    fields.set(group, names);
  }
  for (const name of Object.keys(row)) names.add(name);
}

/** Data set fields of the task, in their order, as far as measured rows of the same group carry them. */
function withTaskFields(zero: Row, input: Row, fields: Map<string, Set<string>>): Row {
  const carried = fields.get(groupOf(input)) ?? new Set();
  const out: Row = { ...zero };
  for (const [name, value] of Object.entries(input)) {
    if (name.startsWith("_") || name === "responses_create_params" || name === "response" || Object.hasOwn(out, name) || !carried.has(name))
      continue;
    out[name] = value;
  }
  return out;
}
