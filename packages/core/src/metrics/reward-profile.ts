/**
 * The computing part of a reward profile: which tasks a model solves how often.
 *
 * A builder lives for one command. Materialised inputs and rollouts are fed one by one, in any order. Of an input only its key, who ran it and
 * `ref` stay: whatever the caller needs to find the row again (a byte offset, say). Of a rollout only its numbers stay. Task rows come out of
 * a generator, so that 100,000 rows need neither 100,000 samples nor 100,000 finished lines in memory.
 */
import { GymError } from "../errors/index.ts";
import { groupEntry } from "./baseline.ts";
import { createNotes, type MetricNotes } from "./notes.ts";
import { profileAgents } from "./profile-agents.ts";
import { countCompletion, type ProfileSummary } from "./profile-completion.ts";
import { labelInputs, type ProfileInput, readRunner } from "./profile-inputs.ts";
import { compareIds, compareText, isTruthy, keyOf, keyText, ROLLOUT_INDEX, stateOf, TASK_INDEX } from "./row-fields.ts";
import { columnRanks, createRowStore, rowsByKey, storeRow } from "./row-store.ts";
import type { Id, Metrics, Row } from "./types.ts";

const MAX_LISTED_KEYS = 10;

export interface RewardProfileOptions {
  /** Inputs without a rollout are dropped and counted instead of being an error. Read as a truth value, text `true` included. */
  allowPartialRollouts?: boolean | string;
}

export interface ProfileTask<Ref> {
  /** One line of `*_reward_profiling.jsonl`. `sample` is in its place but undefined: set it to `sampleOf(the input row at ref)`. */
  row: Metrics;
  /** Where the input row of the lowest measured rollout is. */
  ref: Ref;
}

export interface RewardProfile<Ref> {
  summary: ProfileSummary;
  /** Ascending by task, then agent. */
  tasks: () => Generator<ProfileTask<Ref>>;
  /** Content of `*_agent_metrics.json`, by agent name. */
  agentMetrics: Metrics[];
  /** Content of `*_repeat_level_metrics.json`, by agent name and repeat. */
  repeatLevelMetrics: Metrics[];
  /** Complete once `tasks` has been read to its end. */
  notes: () => MetricNotes;
}

export interface RewardProfileBuilder<Ref> {
  /** @throws GymError NG_ERR_DATA where the key came before. */
  addInput: (row: Row, ref: Ref) => void;
  /** @throws GymError NG_ERR_DATA where the key came before. */
  addRollout: (row: Row) => void;
  /** @throws GymError NG_ERR_DATA for rollouts without an input, and for inputs without a rollout unless partial is allowed. */
  finish: () => RewardProfile<Ref>;
}

/** An input row as it stands in a profile: without the two index keys. */
export function sampleOf(input: Row): Metrics {
  const { [TASK_INDEX]: _task, [ROLLOUT_INDEX]: _rollout, ...sample } = input;
  return sample;
}

export function createRewardProfile<Ref>(options: RewardProfileOptions = {}): RewardProfileBuilder<Ref> {
  const notes = createNotes();
  const store = createRowStore();
  const inputs = new Map<string, ProfileInput<Ref>>();
  /** Key -> number of the stored row, or why it is not measured. */
  const results = new Map<string, number | "masked" | "failed">();

  const addInput = (row: Row, ref: Ref): void => {
    const key = keyOf(row);
    const text = keyText(key);
    if (inputs.has(text)) throw new GymError("NG_ERR_DATA", `Two input rows for (task, rollout) = (${text})`);
    inputs.set(text, { task: key.task, runner: readRunner(row), ref });
  };

  const addRollout = (row: Row): void => {
    const key = keyOf(row);
    const text = keyText(key);
    if (results.has(text)) throw new GymError("NG_ERR_DATA", `Two rollouts for (task, rollout) = (${text})`);
    const state = stateOf(row);
    if (state.state === "masked") notes.masked();
    else if (state.state === "failed") notes.failed(state.failureClass);
    else notes.measured();
    results.set(text, state.state === "measured" ? storeRow(store, row, { key, notes }) : state.state);
  };

  const finish = (): RewardProfile<Ref> => {
    checkKeys(inputs, results, isPartialAllowed(options.allowPartialRollouts));
    const { labels, fanOut } = labelInputs(inputs.values());
    const inputOfRow: ProfileInput<Ref>[] = [];
    for (const [text, result] of results) if (typeof result === "number") inputOfRow[result] = inputs.get(text) as ProfileInput<Ref>;
    const labelOf = (row: number): string | undefined => labels.get((inputOfRow[row] as ProfileInput<Ref>).runner);
    const completion = countCompletion({ inputs, results, labels, notes });
    const byKey = rowsByKey(store);
    const ranks = columnRanks(store, byKey);
    const byGroup = byKey.toSorted(
      (a, b) => compareIds(store.tasks[a] as Id, store.tasks[b] as Id) || compareText(labelOf(a) ?? "", labelOf(b) ?? ""),
    );

    function* tasks(): Generator<ProfileTask<Ref>> {
      for (let from = 0, to = 0; from < byGroup.length; from = to) {
        const first = byGroup[from] as number;
        const task = store.tasks[first] as Id;
        const agentName = labelOf(first);
        while (to < byGroup.length && store.tasks[byGroup[to] as number] === task && labelOf(byGroup[to] as number) === agentName) to++;
        const scope = { store, rows: byGroup.slice(from, to), ranks, notes };
        const expected = completion.expectedMeasured(task, agentName);
        const facts = { agentName: fanOut ? agentName : undefined, sample: undefined, expected };
        yield { row: groupEntry(scope, facts), ref: (inputOfRow[first] as ProfileInput<Ref>).ref };
      }
    }

    return {
      summary: completion.summary,
      tasks,
      ...profileAgents({ store, rows: byKey, ranks, labelOf, agents: completion.agents(), notes }),
      notes: () => notes.build(),
    };
  };

  return { addInput, addRollout, finish };
}

function isPartialAllowed(value: boolean | string | undefined): boolean {
  return typeof value === "string" ? /^(?:true|t|yes|y|on|1)$/i.test(value.trim()) : isTruthy(value);
}

function checkKeys(inputs: ReadonlyMap<string, unknown>, results: ReadonlyMap<string, unknown>, allowPartial: boolean): void {
  const extra = [...results.keys()].filter((key) => !inputs.has(key));
  if (extra.length > 0) {
    throw new GymError("NG_ERR_DATA", `${extra.length} rollouts have no input row: (task, rollout) = ${listed(extra)}`, {
      hint: "Are these the rollouts of this materialised input file?",
    });
  }
  const missing = allowPartial ? [] : [...inputs.keys()].filter((key) => !results.has(key));
  if (missing.length > 0) {
    throw new GymError(
      "NG_ERR_DATA",
      `${missing.length} of ${inputs.size} input rows have no rollout: (task, rollout) = ${listed(missing)}`,
      {
        hint: "Finish the run, or profile what there is with ++allow_partial_rollouts=True.",
      },
    );
  }
}

function listed(keys: readonly string[]): string {
  const shown = keys.slice(0, MAX_LISTED_KEYS).map((key) => `(${key})`);
  return shown.join(", ") + (keys.length > shown.length ? ", ..." : "");
}
