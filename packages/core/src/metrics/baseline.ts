/** Baseline statistics of one scope (an agent, or one task): `<stat>/<column>`, stat by stat, columns in order of first appearance. */
import { type Description, describeNumbers } from "./describe.ts";
import type { NotesBuilder } from "./notes.ts";
import { type RowStore, rolloutInfo, valuesByColumn } from "./row-store.ts";
import type { Metrics } from "./types.ts";

const STATS = ["mean", "max", "min", "median"] as const;

export interface Scope {
  store: RowStore;
  /** Rows of the scope. */
  rows: readonly number[];
  /** Column -> place, see `columnRanks`. */
  ranks: readonly number[];
  notes: NotesBuilder;
}

export function baselineMetrics(scope: Scope): Metrics {
  const columns = [...valuesByColumn(scope.store, scope.rows)]
    .sort(([a], [b]) => (scope.ranks[a] as number) - (scope.ranks[b] as number))
    .map(([column, values]) => ({ name: scope.store.names[column] as string, description: describeNumbers(values) }));
  const metrics: Metrics = {};
  for (const stat of STATS) {
    for (const { name, description } of columns) setFinite(metrics, `${stat}/${name}`, { value: description[stat], notes: scope.notes });
  }
  for (const { name, std } of spreads(columns, scope.rows.length)) setFinite(metrics, `std/${name}`, { value: std, notes: scope.notes });
  return metrics;
}

/** Where no column of the scope has two values, complete columns get a spread of 0; otherwise undefined spreads are left out. */
function spreads(columns: readonly { name: string; description: Description }[], rows: number): { name: string; std: number }[] {
  const anyDefined = columns.some(({ description }) => description.std !== undefined);
  return columns.flatMap(({ name, description }) => {
    if (description.std !== undefined) return [{ name, std: description.std }];
    return anyDefined || description.n < rows ? [] : [{ name, std: 0 }];
  });
}

/** Sets a result that JSON can hold; reports the others. */
export function setFinite(metrics: Metrics, name: string, { value, notes }: { value: number; notes: NotesBuilder }): void {
  if (Number.isFinite(value)) metrics[name] = value;
  else notes.leaveOut(name, "not_finite");
}

export interface GroupFacts {
  /** Set under fan-out: which agent this group belongs to. */
  agentName?: string | undefined;
  sample: unknown;
  /** Rollouts that were asked for. */
  expected: number;
}

/** One entry of `group_level_metrics` or one line of a reward profile. */
export function groupEntry(scope: Scope, facts: GroupFacts): Metrics {
  const { store, rows } = scope;
  return {
    _ng_task_index: store.tasks[rows[0] as number],
    ...baselineMetrics(scope),
    ...(facts.agentName === undefined ? {} : { agent_ref: { name: facts.agentName } }),
    sample: facts.sample,
    num_rollouts: rows.length,
    expected_num_rollouts: facts.expected,
    missing_num_rollouts: facts.expected - rows.length,
    reward_profile_completion_pct: percent(rows.length, facts.expected),
    rollout_infos: rows.map((row) => rolloutInfo(store, row)),
  };
}

/** 100 · part / whole; 100 where nothing was asked for. */
export function percent(part: number, whole: number): number {
  return whole === 0 ? 100 : (100 * part) / whole;
}
