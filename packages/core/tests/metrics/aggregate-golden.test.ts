import { describeGolden, expandRecipes } from "@ng-gym/testing";
import { expect } from "vitest";
import { createAggregator } from "../../src/metrics/index.ts";
import { GymError } from "../../src/protocol/index.ts";
import { expectClose } from "./close.ts";
import { hooksOf } from "./golden-hooks.ts";

/** The reference walks the names of a repeat hook in the order of a set. */
const FREE_ORDER = ["agent_metrics", "repeat_level_metrics[0]", "repeat_level_metrics[1]"];

describeGolden("rollouts/aggregate_metrics.jsonl", {
  check: ({ input, expected }) => {
    const given = expandRecipes(input);
    const aggregator = createAggregator(hooksOf(given));
    const run = () => {
      for (const row of given.verify_responses) aggregator.add(row);
      return aggregator.finish();
    };
    if (expected.error && !expected.reference_bug) {
      expect(run).toThrow(GymError);
      return;
    }
    const { warnings = [], ...answer } = expected.reference_bug ? { ...expected.ours, warnings: expected.warnings } : expected;
    const names = Object.keys(given.compute_repeat_metrics?.values?.["0"] ?? {});
    expectClose(run(), answer, { freeOrder: names.length > 1 ? FREE_ORDER : [] });
    expect(aggregator.notes().warnings).toEqual([...warnings].sort());
    expect(aggregator.notes().leftOut).toEqual([]);
  },
});
