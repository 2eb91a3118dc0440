/** How complete the rollouts of a reward profile are, counted for each (task, agent). */

import { percent } from "./baseline.ts";
import type { NotesBuilder } from "./notes.ts";
import type { ProfileInput } from "./profile-inputs.ts";
import { idText } from "./row-fields.ts";
import type { Id } from "./types.ts";

export interface ProfileSummary {
  expected_rollout_rows: number;
  /** Masked rows are complete, failed ones are not. */
  completed_rollout_rows: number;
  missing_rollout_rows: number;
  extra_rollout_rows: number;
  reward_profile_completion_pct: number;
  /** The next four count (task, agent) pairs. */
  total_input_rows: number;
  complete_input_rows: number;
  partial_input_rows: number;
  missing_input_rows: number;
  masked_rollout_rows: number;
  failed_rollout_rows: number;
}

/** Counts of one agent's tasks. */
export interface AgentCoverage {
  maskedRollouts: number;
  failedRollouts: number;
  /** Tasks with masked or failed rollouts. */
  unmeasuredTasks: Set<Id>;
}

interface Pair {
  task: Id;
  label: string | undefined;
  expected: number;
  completed: number;
  masked: number;
  failed: number;
}

export interface Completion {
  summary: ProfileSummary;
  /** Rollouts that were asked for, without those that were masked. */
  expectedMeasured: (task: Id, label: string | undefined) => number;
  /** Label -> counts, for labels with at least one rollout. */
  agents: () => Map<string, AgentCoverage>;
}

export interface CompletionInput {
  inputs: ReadonlyMap<string, ProfileInput<unknown>>;
  results: ReadonlyMap<string, number | "masked" | "failed">;
  labels: ReadonlyMap<string, string | undefined>;
  notes: Pick<NotesBuilder, "maskedCount" | "failedCount">;
}

export function countCompletion({ inputs, results, labels, notes }: CompletionInput): Completion {
  const pairs = new Map<string, Pair>();
  for (const [text, input] of inputs) {
    const label = labels.get(input.runner);
    const key = pairKey(input.task, label);
    const pair = pairs.get(key) ?? { task: input.task, label, expected: 0, completed: 0, masked: 0, failed: 0 };
    pairs.set(key, pair);
    const result = results.get(text);
    pair.expected++;
    if (result === "failed") pair.failed++;
    else if (result !== undefined) pair.completed++;
    if (result === "masked") pair.masked++;
  }
  const all = [...pairs.values()];
  const completed = all.reduce((total, pair) => total + pair.completed, 0);
  const complete = all.filter((pair) => pair.completed === pair.expected).length;
  const missing = all.filter((pair) => pair.completed === 0).length;
  return {
    summary: {
      expected_rollout_rows: inputs.size,
      completed_rollout_rows: completed,
      missing_rollout_rows: inputs.size - completed,
      extra_rollout_rows: 0,
      reward_profile_completion_pct: percent(completed, inputs.size),
      total_input_rows: all.length,
      complete_input_rows: complete,
      partial_input_rows: all.length - complete - missing,
      missing_input_rows: missing,
      masked_rollout_rows: notes.maskedCount(),
      failed_rollout_rows: notes.failedCount(),
    },
    expectedMeasured: (task, label) => {
      const pair = pairs.get(pairKey(task, label));
      return pair === undefined ? 0 : pair.expected - pair.masked;
    },
    agents: () => agentCoverage(all),
  };
}

function pairKey(task: Id, label: string | undefined): string {
  return `${idText(task)} ${label === undefined ? "" : JSON.stringify(label)}`;
}

function agentCoverage(pairs: readonly Pair[]): Map<string, AgentCoverage> {
  const agents = new Map<string, AgentCoverage>();
  for (const { label, task, completed, masked, failed } of pairs) {
    if (label === undefined || completed + failed === 0) continue;
    const agent = agents.get(label) ?? { maskedRollouts: 0, failedRollouts: 0, unmeasuredTasks: new Set<Id>() };
    agents.set(label, agent);
    agent.maskedRollouts += masked;
    agent.failedRollouts += failed;
    if (masked + failed > 0) agent.unmeasuredTasks.add(task);
  }
  return agents;
}
