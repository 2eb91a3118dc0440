import { describeGolden, expandRecipes } from "@ng-gym/testing";
import { expect } from "vitest";
import { addAvgSampleStdDev, computePassMajorityMetrics, computeSubsetMetrics, highestKMetrics } from "../../src/metrics/index.ts";
import { GymError } from "../../src/protocol/index.ts";
import { expectClose } from "./close.ts";
import { passOptions } from "./golden-hooks.ts";

// biome-ignore lint/suspicious/noExplicitAny: a golden is foreign JSON
function answer(input: any): unknown {
  if (input.op === "highest_k") {
    return { metrics: highestKMetrics(input.metrics, input.pattern, { scoreNames: input.score_names, excludeNames: input.exclude_names }) };
  }
  if (input.op === "subset") return { metrics: computeSubsetMetrics(input.tasks, input.subset_key, passOptions(input)) };
  const result = computePassMajorityMetrics(input.tasks, passOptions(input));
  const metrics = input.avg_sample_std_dev ? addAvgSampleStdDev(result) : result.metrics;
  return { metrics, score_names: result.scoreNames, max_k: result.maxK };
}

describeGolden("rollouts/pass_majority.jsonl", {
  exceptions: {
    majority_same_answer_two_scores:
      "decisions.md and the golden's ours: votes are counted by answer, the winner is worth the mean of its scores",
  },
  check: ({ input, expected }) => {
    const { reference_bug: _bug, ours: _ours, ...theirs } = expected;
    if (expected.error) expect(() => answer(expandRecipes(input))).toThrow(GymError);
    else expectClose(answer(expandRecipes(input)), theirs);
  },
});
