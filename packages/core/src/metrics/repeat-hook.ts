/** Custom metrics of each repeat: they replace generic ones of the same name, and their spreads are taken over the repeats. */
import type { NotesBuilder } from "./notes.ts";
import { acrossKeys, acrossRepeats, rowsByRepeat } from "./repeat-level.ts";
import type { RowStore } from "./row-store.ts";
import type { Metrics, Row, TaskRows } from "./types.ts";

export interface RepeatHookInput {
  hook: (tasks: readonly TaskRows[]) => Metrics;
  store: RowStore;
  /** Rows in the order of tasks. */
  rows: readonly number[];
  /** Row number -> the row as it was added. */
  kept: readonly Row[];
  notes: NotesBuilder;
}

/** Changes `entries` (one a repeat, ascending) and `agentMetrics` in place; with fewer than two repeats the hook is not called. */
export function applyRepeatHook(entries: Metrics[], agentMetrics: Metrics, input: RepeatHookInput): void {
  if (entries.length < 2) return;
  const results = rowsByRepeat(input.store, input.rows).map(([, rows]) => input.hook(rows.map((row) => [input.kept[row] as Row])));
  const names = new Set(Object.keys(results[0] as Metrics).filter((name) => isUsable(name, results, agentMetrics)));
  if (names.size === 0) return;
  for (const [index, entry] of entries.entries()) {
    const result = results[index] as Metrics;
    for (const name of names) {
      // Deleted first: a replaced name moves to the end.
      delete entry[name];
      entry[name] = result[name];
    }
  }
  for (const name of names) for (const key of acrossKeys(name)) delete agentMetrics[key];
  Object.assign(agentMetrics, acrossRepeats(entries, { notes: input.notes, names }));
}

/** Finite in every repeat, and in the full run where the name exists there. */
function isUsable(name: string, results: readonly Metrics[], agentMetrics: Metrics): boolean {
  const inAll = results.every((result) => isFiniteNumber(result[name]));
  return inAll && (!Object.hasOwn(agentMetrics, name) || isFiniteNumber(agentMetrics[name]));
}

function isFiniteNumber(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value);
}
