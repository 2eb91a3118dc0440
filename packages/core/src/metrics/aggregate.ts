/**
 * The body of `/aggregate_metrics`: one agent's rows in, statistics per task, per repeat and over all out.
 *
 * An `Aggregator` lives for one request. Rows are fed one by one, in any order, whole or already stripped of their response; only their
 * numbers stay, unless a hook wants the rows, which are then kept without their response.
 */
import { GymError } from "../errors/index.ts";
import { baselineMetrics, groupEntry } from "./baseline.ts";
import { type ClusteredMean, clusteredMean95 } from "./intervals.ts";
import { maskCoverage } from "./mask-coverage.ts";
import { createNotes, type MetricNotes, type NotesBuilder } from "./notes.ts";
import { createPerfAccumulator } from "./perf-summary.ts";
import { applyRepeatHook } from "./repeat-hook.ts";
import { acrossRepeats, repeatLevelMetrics } from "./repeat-level.ts";
import { idText, isMap, keyOf, keyText, stateOf, TASK_INDEX } from "./row-fields.ts";
import { columnRanks, createRowStore, type RowStore, rowsByKey, storeRow, valuesByColumn } from "./row-store.ts";
import { stripForMetrics } from "./strip-row.ts";
import type { AggregateHooks, AggregateMetrics, Id, Metrics, Row } from "./types.ts";

export interface Aggregator {
  /** @throws GymError NG_ERR_DATA for an unreadable key or a (task, rollout) pair that was measured before. */
  add: (row: Row) => void;
  /** Ends the adding; a second call gives the same answer. @throws what a hook throws; GymError NG_ERR_DATA where a hook's `per_task_metrics` is not a list of maps with `_ng_task_index`. */
  finish: () => AggregateMetrics;
  /** Fields left out, warnings, counts. Complete after `finish`. */
  notes: () => MetricNotes;
  /** 95 % interval of a column's mean with the task as unit (default column: `reward`). */
  meanInterval: (column?: string) => ClusteredMean;
}

/** All at once: see `createAggregator`. */
export function aggregateMetrics(rows: Iterable<Row>, hooks: AggregateHooks = {}): AggregateMetrics {
  const aggregator = createAggregator(hooks);
  for (const row of rows) aggregator.add(row);
  return aggregator.finish();
}

export function createAggregator(hooks: AggregateHooks = {}): Aggregator {
  const wantsRows = hooks.computeMetrics !== undefined || hooks.computeRepeatMetrics !== undefined;
  const notes = createNotes();
  const store = createRowStore();
  const perf = createPerfAccumulator();
  const kept: Row[] = [];
  const seen = new Set<string>();
  const repeats = new Set<Id>();
  const tasksWithUnmeasured = new Set<Id>();
  let total = 0;
  let answer: AggregateMetrics | undefined;

  const add = (row: Row): void => {
    if (answer !== undefined) throw new Error("Aggregator.add was called after finish");
    const key = keyOf(row);
    total++;
    repeats.add(key.rollout);
    if (isMap(row.ng_perf)) perf.add(row.ng_perf);
    const state = stateOf(row);
    if (state.state !== "measured") {
      tasksWithUnmeasured.add(key.task);
      if (state.state === "masked") notes.masked();
      else notes.failed(state.failureClass);
      return;
    }
    const text = keyText(key);
    if (seen.has(text)) throw new GymError("NG_ERR_DATA", `Two rows for (task, rollout) = (${text}); each pair may be measured once`);
    seen.add(text);
    notes.measured();
    storeRow(store, row, { key, notes });
    if (wantsRows) kept.push(stripForMetrics(row));
  };

  const compute = (): AggregateMetrics => {
    const coverage = maskCoverage({
      measuredTasks: new Set(store.tasks),
      unmeasuredTasks: tasksWithUnmeasured,
      measured: store.tasks.length,
      notes,
    });
    const perfSummary = perf.summary(total);
    if (store.tasks.length === 0) {
      return {
        group_level_metrics: [],
        agent_metrics: { ...coverage },
        key_metrics: { ...coverage },
        perf_summary: perfSummary,
        repeat_level_metrics: [],
      };
    }
    const rows = rowsByKey(store);
    const ranks = columnRanks(store, rows);
    const groups = splitByTask(store, rows).map((own) => {
      const scope = { store, rows: own, ranks, notes };
      return groupEntry(scope, { sample: { agent_ref: { name: "agent" } }, expected: own.length });
    });
    const repeatLevel = repeatLevelMetrics({ store, rows, notes });
    const agentMetrics: Metrics = {
      ...baselineMetrics({ store, rows, ranks, notes }),
      ...acrossRepeats(repeatLevel, { notes }),
      ...coverage,
    };
    if (hooks.computeMetrics !== undefined) {
      // The hook sees the rows of a task in the order in which they came.
      const tasks = splitByTask(store, rows).map((own) => own.toSorted((a, b) => a - b).map((row) => kept[row] as Row));
      mergeCustomMetrics({ custom: hooks.computeMetrics(tasks), agentMetrics, groups, notes });
    }
    agentMetrics.num_repeats = repeats.size;
    const keyMetrics = { ...(hooks.getKeyMetrics ?? meansOnly)(agentMetrics), ...coverage };
    if (hooks.computeRepeatMetrics !== undefined) {
      applyRepeatHook(repeatLevel, agentMetrics, { hook: hooks.computeRepeatMetrics, store, rows, kept, notes });
    }
    return {
      group_level_metrics: groups,
      agent_metrics: agentMetrics,
      key_metrics: keyMetrics,
      perf_summary: perfSummary,
      repeat_level_metrics: repeatLevel,
    };
  };

  const meanInterval = (column = "reward"): ClusteredMean => {
    const id = store.ids.get(column);
    const tasks = splitByTask(store, rowsByKey(store));
    return clusteredMean95(tasks.map((own) => (id === undefined ? [] : (valuesByColumn(store, own).get(id) ?? []))));
  };

  const finish = (): AggregateMetrics => {
    answer ??= compute();
    kept.length = 0;
    return answer;
  };

  return { add, finish, notes: () => notes.build(), meanInterval };
}

/** Runs of equal task in rows that are sorted by task. */
function splitByTask(store: RowStore, rows: readonly number[]): number[][] {
  const groups: number[][] = [];
  let last: Id | undefined;
  for (const row of rows) {
    const task = store.tasks[row] as Id;
    if (groups.length === 0 || task !== last) groups.push([]);
    groups[groups.length - 1]?.push(row);
    last = task;
  }
  return groups;
}

function meansOnly(agentMetrics: Readonly<Metrics>): Metrics {
  return Object.fromEntries(Object.entries(agentMetrics).filter(([name]) => name.startsWith("mean/")));
}

function mergeCustomMetrics(parts: { custom: Metrics; agentMetrics: Metrics; groups: Metrics[]; notes: NotesBuilder }): void {
  const { per_task_metrics: perTask, ...overall } = parts.custom;
  for (const [name, value] of Object.entries(overall)) {
    if (typeof value === "number" && !Number.isFinite(value)) parts.notes.leaveOut(name, "not_finite");
    else parts.agentMetrics[name] = value;
  }
  if (perTask === undefined || perTask === null) return;
  const groupOf = new Map(parts.groups.map((group) => [idText(group[TASK_INDEX] as Id), group]));
  for (const entry of Array.isArray(perTask) ? perTask : [perTask]) {
    const index = isMap(entry) ? entry[TASK_INDEX] : undefined;
    if (typeof index !== "number" && typeof index !== "string") {
      throw new GymError(
        "NG_ERR_DATA",
        `per_task_metrics must be a list of maps with ${TASK_INDEX}, got ${JSON.stringify(entry)?.slice(0, 200)}`,
        {
          hint: "It is what compute_metrics of this benchmark returned.",
        },
      );
    }
    const group = groupOf.get(idText(index));
    if (group !== undefined) Object.assign(group, entry);
  }
}
