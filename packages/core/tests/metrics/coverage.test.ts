import { describe, expect, test } from "vitest";
import { coverageMetrics, coverageOf, stripForMetrics } from "../../src/metrics/index.ts";

describe("coverage", () => {
  test("what is neither scored nor failed nor masked is missing", () => {
    const coverage = coverageOf({ expected: 10, scored: 5, failed: { judge_failed: 2, cancelled: 0 }, masked: 1, imputed: 3 });
    expect(coverage).toEqual({
      expected: 10,
      scored: 5,
      failed: { judge_failed: 2 },
      failed_total: 2,
      missing: 2,
      masked: 1,
      imputed: 3,
      fraction: 0.5,
    });
    expect(coverageMetrics(coverage)).toEqual({
      "coverage/expected": 10,
      "coverage/scored": 5,
      "coverage/failed": 2,
      "coverage/failed/judge_failed": 2,
      "coverage/missing": 2,
      "coverage/masked": 1,
      "coverage/imputed": 3,
      "coverage/fraction": 0.5,
    });
  });

  test("nothing expected is fully covered; foreign surplus is never a negative count", () => {
    expect(coverageOf({ expected: 0, scored: 0 })).toMatchObject({ fraction: 1, missing: 0 });
    expect(coverageOf({ expected: 1, scored: 3 }).missing).toBe(0);
  });
});

describe("rows on their way to the metrics route", () => {
  test("only usage and incomplete_details of the response stay, at the end", () => {
    const row = {
      response: { id: "r", usage: { t: 1 }, incomplete_details: { reason: "x" } },
      reward: 1,
      responses_create_params: {},
      ng_trajectory: {},
    };
    expect(JSON.stringify(stripForMetrics(row))).toBe('{"reward":1,"response":{"usage":{"t":1},"incomplete_details":{"reason":"x"}}}');
  });

  test.each([null, "text", {}, { usage: null }])("response %j leaves nothing", (response) => {
    expect(stripForMetrics({ reward: 1, response })).toEqual({ reward: 1 });
  });
});
