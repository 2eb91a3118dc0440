import { describeGolden, expandRecipes } from "@ng-gym/testing";
import { expect } from "vitest";
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
