/** Statistics of each repeat over its tasks, and of the repeats' points over the repeats. */

import { setFinite } from "./baseline.ts";
import { describeNumbers } from "./describe.ts";
import { tInterval95 } from "./intervals.ts";
import type { NotesBuilder } from "./notes.ts";
import { isPointName } from "./point-names.ts";
import { compareIds, compareText, ROLLOUT_INDEX } from "./row-fields.ts";
import { type RowStore, valuesByColumn } from "./row-store.ts";
import type { Id, Metrics } from "./types.ts";

export interface RepeatScope {
  store: RowStore;
  /** Measured rows of one agent. */
  rows: readonly number[];
  notes: NotesBuilder;
}

/** Repeat -> its rows, ascending. */
export function rowsByRepeat(store: RowStore, rows: readonly number[]): [Id, number[]][] {
  const repeats = new Map<Id, number[]>();
  for (const row of rows) {
    const repeat = store.rollouts[row] as Id;
    const list = repeats.get(repeat);
    if (list === undefined) repeats.set(repeat, [row]);
    else list.push(row);
  }
  return [...repeats].sort(([a], [b]) => compareIds(a, b));
}

/** One entry a repeat: `sample_count`, `missing_count`, then per column (alphabetical) its statistics; empty with fewer than two repeats. */
export function repeatLevelMetrics({ store, rows, notes }: RepeatScope): Metrics[] {
  const repeats = rowsByRepeat(store, rows);
  if (repeats.length < 2) return [];
  const tasks = new Set(rows.map((row) => store.tasks[row])).size;
  return repeats.map(([repeat, own]) => {
    if (own.length < tasks) notes.warn("incomplete_repeats");
    const entry: Metrics = { [ROLLOUT_INDEX]: repeat, sample_count: own.length, missing_count: tasks - own.length };
    const columns = [...valuesByColumn(store, own)].map(([column, values]) => ({ name: store.names[column] as string, values }));
    for (const { name, values } of columns.sort((a, b) => compareText(a.name, b.name)))
      describeRepeatColumn(entry, name, { values, notes });
    return entry;
  });
}

function describeRepeatColumn(entry: Metrics, column: string, { values, notes }: { values: number[]; notes: NotesBuilder }): void {
  const facts = describeNumbers(values);
  const std = facts.std ?? 0;
  const sem = std / Math.sqrt(facts.n);
  const stats = { mean: facts.mean, median: facts.median, std, sem, min: facts.min, max: facts.max, p25: facts.p25, p75: facts.p75 };
  for (const [stat, value] of Object.entries(stats)) setFinite(entry, `${stat}/${column}`, { value, notes });
  if (facts.n < 2) return;
  if (sem === 0) notes.warn("zero_standard_error");
  const interval = tInterval95(facts.mean, sem, facts.n);
  setFinite(entry, `ci_low_95/${column}`, { value: interval.low, notes });
  setFinite(entry, `ci_high_95/${column}`, { value: interval.high, notes });
}

/** `<stat>_across_repeats/<name>` for every point of the repeat entries (or only those in `names`); each repeat counts once. */
export function acrossRepeats(
  entries: readonly Metrics[],
  { notes, names }: { notes: NotesBuilder; names?: ReadonlySet<string> },
): Metrics {
  const values = new Map<string, number[]>();
  for (const entry of entries) {
    for (const [name, value] of Object.entries(entry)) {
      if (typeof value !== "number" || !isPointName(name) || names?.has(name) === false) continue;
      const list = values.get(name);
      if (list === undefined) values.set(name, [value]);
      else list.push(value);
    }
  }
  const metrics: Metrics = {};
  for (const [name, list] of values) describeAcross(metrics, name, { values: list, notes });
  return metrics;
}

function describeAcross(metrics: Metrics, name: string, { values, notes }: { values: number[]; notes: NotesBuilder }): void {
  const facts = describeNumbers(values);
  const std = facts.std ?? 0;
  const se = std / Math.sqrt(facts.n);
  const stats = { mean: facts.mean, median: facts.median, std, min: facts.min, max: facts.max, se };
  for (const [stat, value] of Object.entries(stats)) setFinite(metrics, acrossName(stat, name), { value, notes });
  if (facts.n < 2) return;
  if (se === 0) notes.warn("zero_standard_error");
  const interval = tInterval95(facts.mean, se, facts.n);
  setFinite(metrics, acrossName("ci_low_95", name), { value: interval.low, notes });
  setFinite(metrics, acrossName("ci_high_95", name), { value: interval.high, notes });
}

const ACROSS_STATS = ["mean", "median", "std", "min", "max", "se", "ci_low_95", "ci_high_95"];

function acrossName(stat: string, name: string): string {
  return `${stat}_across_repeats/${name}`;
}

/** Every key that `acrossRepeats` may write for a name. */
export function acrossKeys(name: string): string[] {
  return ACROSS_STATS.map((stat) => acrossName(stat, name));
}
