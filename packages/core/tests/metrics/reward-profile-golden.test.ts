import { describeGolden, expandRecipes, type GoldenCase } from "@ng-gym/testing";
import { expect } from "vitest";
import { createRewardProfile, type Row, sampleOf } from "../../src/metrics/index.ts";
import { GymError } from "../../src/protocol/index.ts";
import { expectClose } from "./close.ts";

const READING = "the command that reads and writes the files (ng-reward-profile)";

// biome-ignore lint/suspicious/noExplicitAny: a golden is foreign JSON
function profile(input: any) {
  const rows = (lines: (string | Row)[]): Row[] => lines.map((line) => (typeof line === "string" ? JSON.parse(line) : line));
  const builder = createRewardProfile<Row>({ allowPartialRollouts: input.config?.allow_partial_rollouts });
  for (const row of rows(input.inputs)) builder.addInput(row, row);
  for (const row of rows(input.rollouts)) builder.addRollout(row);
  const result = builder.finish();
  const tasks = [...result.tasks()].map(({ row, ref }) => ({ ...row, sample: sampleOf(ref) }));
  return { result, tasks };
}

describeGolden("rollouts/reward_profile.jsonl", {
  pending: ({ input, expected }: GoldenCase) => {
    const isAboutFiles = ["ConfigPathNotFoundError", "ConfigError", "ValidationError"].includes(expected.error?.kind);
    return isAboutFiles || input.inputs === null || input.rollouts === null ? READING : undefined;
  },
  check: ({ input, expected }) => {
    if (expected.error && !expected.reference_bug) {
      expect(() => profile(expandRecipes(input))).toThrow(GymError);
      return;
    }
    const answer = expected.reference_bug ? expected.ours : expected;
    const { result, tasks } = profile(expandRecipes(input));
    const { summary } = result;
    expect({
      completed: summary.completed_rollout_rows,
      expected: summary.expected_rollout_rows,
      pct: summary.reward_profile_completion_pct.toFixed(2),
      tasks_total: summary.total_input_rows,
      tasks_complete: summary.complete_input_rows,
      tasks_partial: summary.partial_input_rows,
      tasks_missing: summary.missing_input_rows,
      masked: summary.masked_rollout_rows,
    }).toEqual(answer.summary);
    const [agents, repeats, rows] = ["_agent_metrics.json", "_repeat_level_metrics.json", "_reward_profiling.jsonl"].map(
      (ending) => Object.entries(answer.files).find(([name]) => name.endsWith(ending))?.[1],
    );
    expectClose({ agents: result.agentMetrics, repeats: result.repeatLevelMetrics, rows: tasks }, { agents, repeats, rows });
    expect(result.notes().warnings).toEqual([...(expected.warnings ?? [])].sort());
  },
});
