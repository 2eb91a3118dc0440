/**
 * The numbers of all measured rows, packed: row i owns the entries `starts[i]` up to `starts[i + 1]` of `columns` and `values`, its own
 * fields first and those of its usage from `usageStarts[i]` on. An own field that a usage field of the same name replaces in the statistics
 * (but not in `rollout_infos`) has its column stored as `~column`. Nothing else of a row is kept, except a reward that is no plain number.
 */
import type { NotesBuilder } from "./notes.ts";
import { compareIds, numericFields, type RowKey, usageOf } from "./row-fields.ts";
import type { Id, Metrics, Row } from "./types.ts";

/** Distinct numeric field names of one aggregation; names past it are left out and reported. */
export const MAX_METRIC_COLUMNS = 10_000;

const REWARD = "reward";

export interface RowStore {
  tasks: Id[];
  rollouts: Id[];
  names: string[];
  ids: Map<string, number>;
  columns: number[];
  values: number[];
  starts: number[];
  usageStarts: number[];
  /** Row -> reward as it was, where it is no number. */
  oddRewards: Map<number, unknown>;
}

export function createRowStore(): RowStore {
  return {
    tasks: [],
    rollouts: [],
    names: [],
    ids: new Map(),
    columns: [],
    values: [],
    starts: [0],
    usageStarts: [],
    oddRewards: new Map(),
  };
}

/** Adds a measured row and returns its number. */
export function storeRow(store: RowStore, row: Row, { key, notes }: { key: RowKey; notes: NotesBuilder }): number {
  const index = store.tasks.length;
  store.tasks.push(key.task);
  store.rollouts.push(key.rollout);
  const usage = usageOf(row);
  for (const [name, value] of numericFields(row)) {
    storeValue(store, { name, value, replaced: isStorable(usage, name), notes });
  }
  store.usageStarts.push(store.columns.length);
  for (const [name, value] of numericFields(usage)) storeValue(store, { name, value, replaced: false, notes });
  store.starts.push(store.columns.length);
  if (Object.hasOwn(row, REWARD) && typeof row[REWARD] !== "number") store.oddRewards.set(index, row[REWARD]);
  return index;
}

function isStorable(map: Row, name: string): boolean {
  const value = Object.hasOwn(map, name) ? map[name] : undefined;
  return typeof value === "number" ? Number.isFinite(value) : typeof value === "boolean";
}

function storeValue(store: RowStore, field: { name: string; value: number; replaced: boolean; notes: NotesBuilder }): void {
  if (!Number.isFinite(field.value)) {
    field.notes.leaveOut(field.name, "not_finite");
    return;
  }
  let id = store.ids.get(field.name);
  if (id === undefined) {
    if (store.names.length >= MAX_METRIC_COLUMNS) {
      field.notes.leaveOut(field.name, "too_many_columns");
      return;
    }
    id = store.names.length;
    store.names.push(field.name);
    store.ids.set(field.name, id);
  }
  store.columns.push(field.replaced ? ~id : id);
  store.values.push(field.value);
}

/** All row numbers by (task, rollout). */
export function rowsByKey(store: RowStore): number[] {
  const { tasks, rollouts } = store;
  return Array.from(tasks, (_, row) => row).sort(
    (a, b) => compareIds(tasks[a] as Id, tasks[b] as Id) || compareIds(rollouts[a] as Id, rollouts[b] as Id) || a - b,
  );
}

/** Column -> its place in the order of first appearance over `rows`. */
export function columnRanks(store: RowStore, rows: readonly number[]): number[] {
  const ranks: number[] = new Array(store.names.length).fill(-1);
  let next = 0;
  for (const row of rows) {
    for (let at = store.starts[row] as number; at < (store.starts[row + 1] as number); at++) {
      const column = store.columns[at] as number;
      const id = column < 0 ? ~column : column;
      if (ranks[id] === -1) ranks[id] = next++;
    }
  }
  return ranks;
}

/** Column -> its values in these rows. */
export function valuesByColumn(store: RowStore, rows: readonly number[]): Map<number, number[]> {
  const byColumn = new Map<number, number[]>();
  for (const row of rows) {
    for (let at = store.starts[row] as number; at < (store.starts[row + 1] as number); at++) {
      const column = store.columns[at] as number;
      if (column < 0) continue;
      const values = byColumn.get(column);
      if (values === undefined) byColumn.set(column, [store.values[at] as number]);
      else values.push(store.values[at] as number);
    }
  }
  return byColumn;
}

/** Entry of `rollout_infos`: ids, the reward as it was, numeric usage, other numeric fields (which here win over usage of the same name). */
export function rolloutInfo(store: RowStore, row: number): Metrics {
  const [task, rollout] = [store.tasks[row], store.rollouts[row]];
  const info: Metrics = { rollout_id: `${task}:${rollout}`, _ng_task_index: task, _ng_rollout_index: rollout };
  const [start, usageStart, end] = [store.starts[row] as number, store.usageStarts[row] as number, store.starts[row + 1] as number];
  if (store.oddRewards.has(row)) info[REWARD] = store.oddRewards.get(row);
  const copy = (from: number, to: number, wanted: (name: string) => boolean): void => {
    for (let at = from; at < to; at++) {
      const column = store.columns[at] as number;
      const name = store.names[column < 0 ? ~column : column] as string;
      if (wanted(name)) info[name] = store.values[at];
    }
  };
  if (!store.oddRewards.has(row)) copy(start, usageStart, (name) => name === REWARD);
  const isOther = (name: string): boolean => name !== REWARD && name !== "rollout_id";
  copy(usageStart, end, isOther);
  copy(start, usageStart, isOther);
  return info;
}
