import { describeGolden, expandRecipes } from "@ng-gym/testing";
import { expect, test } from "vitest";
import { computePerfSummary, isPointName } from "../../src/metrics/index.ts";
import { expectClose } from "./close.ts";

describeGolden("rollouts/perf_summary.jsonl", {
  exceptions: { bool_counts: "the golden's ours: booleans are ignored" },
  check: ({ input, expected }) => {
    const { records, total_rollouts } = expandRecipes(input);
    const answer = { perf_summary: computePerfSummary(records, total_rollouts) };
    expectClose(answer, expected);
  },
});

describeGolden("rollouts/misc.jsonl", {
  pending: ({ input }) =>
    ({ mlflow_key: "exporters", flatten: "exporters", hide: "config secrets", hide_overrides: "config secrets", checks: "health check" })[
      input.op as string
    ],
  check: ({ input, expected }) => {
    expect(expandRecipes(input).names.map(isPointName)).toEqual(expected.primary);
  },
});

test("booleans and numbers that are not finite in ng_perf count as absent", () => {
  const records = [
    { num_turns: true, prompt_tokens: false, total_latency_ms: Number.POSITIVE_INFINITY, token_observability_coverage: true },
  ];
  expect(computePerfSummary(records, 2)).toEqual({ overall_observability_coverage: 0.5, token_observability_coverage: 0 });
});
