import { describe, expect, test } from "vitest";
import { addAvgSampleStdDev, computePassMajorityMetrics, computeSubsetMetrics, highestKMetrics, passAtK } from "../../src/metrics/index.ts";
import { GymError } from "../../src/protocol/index.ts";

function binomial(n: bigint, k: bigint): bigint {
  let value = 1n;
  for (let i = 1n; i <= k; i++) value = (value * (n - k + i)) / i;
  return n < k ? 0n : value;
}

/** 1 - C(n - c, k) / C(n, k) from exact integers, to 18 digits. */
function exactPassAtK(n: number, c: number, k: number): number {
  const all = binomial(BigInt(n), BigInt(k));
  const passing = all - binomial(BigInt(n - c), BigInt(k));
  return Number((passing * 10n ** 30n) / all) / 1e30;
}

describe("pass@k of one task", () => {
  test.each([
    [5, 1, 1],
    [64, 3, 10],
    [1000, 1, 999],
    [2000, 7, 500],
    [2000, 1999, 1],
    [3000, 1, 1500],
  ])("n = %d, c = %d, k = %d is the ratio of exact binomials", (n, c, k) => {
    expect(Math.abs(passAtK(n, c, k) / exactPassAtK(n, c, k) - 1)).toBeLessThan(1e-12);
  });

  test("certain and impossible are exact, also for many rollouts", () => {
    expect([passAtK(100_000, 0, 500), passAtK(100_000, 50_001, 50_000), passAtK(4, 2, 1)]).toEqual([0, 1, 0.5]);
  });

  test.each([0, 5, Number.NaN])("k = %d is no k for four rollouts", (k) => {
    expect(() => passAtK(4, 1, k)).toThrow(RangeError);
  });
});

describe("the family over tasks", () => {
  const votes = (...pairs: [string | number | null, number][]) => pairs.map(([ans, reward]) => ({ ans, reward }));

  test("votes are counted by answer, whatever their scores", () => {
    const { metrics } = computePassMajorityMetrics([votes(["A", 1], ["A", 0], ["B", 0])], { answerKey: "ans" });
    expect(metrics).toMatchObject({ "majority@1/accuracy": 100, "majority@2/accuracy": 50, "majority@3/accuracy": 50 });
  });

  test("tied winners share, and a later vote breaks the tie", () => {
    const { metrics } = computePassMajorityMetrics([votes(["A", 1], ["B", 0], ["C", 0], ["B", 1], ["B", 1], ["A", 1], ["A", 1])], {
      answerKey: "ans",
    });
    expect(Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((k) => [k, metrics[`majority@${k}/accuracy`]]))).toEqual({
      1: 100,
      2: 50,
      3: expect.closeTo(100 / 3, 10),
      4: 50,
      5: expect.closeTo(200 / 3, 10),
      6: expect.closeTo(200 / 3, 10),
      7: expect.closeTo((100 + 200 / 3) / 2, 10),
    });
  });

  test("says how many tasks each figure rests on", () => {
    const tasks = [[{ reward: 1 }, { reward: 0 }, { reward: 0 }], [{ reward: 1 }], []];
    expect(computePassMajorityMetrics(tasks).tasksBehind).toEqual({
      "pass@1/accuracy": 2,
      "pass@1[avg-of-1]/accuracy": 2,
      "pass@2/accuracy": 1,
      "pass@1[avg-of-2]/accuracy": 2,
      "pass@3/accuracy": 1,
      "pass@1[avg-of-3]/accuracy": 2,
    });
  });

  test("a score that is not finite counts as absent", () => {
    const { metrics } = computePassMajorityMetrics([[{ reward: Number.NaN }, { reward: 1 }]]);
    expect(metrics).toMatchObject({ "pass@1/accuracy": 100, "pass@1[avg-of-2]/accuracy": 100 });
    expect(metrics).not.toHaveProperty("pass@2/accuracy");
  });

  test.each([
    [{}, {}],
    [{ reward: "1" }, {}],
    [{ reward: null }, {}],
    [{ reward: 1, ans: { a: 1 } }, { answerKey: "ans" }],
    [{ s: "x" }, { scoreFn: (row: object) => row as Record<string, number> }],
  ])("row %j with %j is refused", (row, options) => {
    expect(() => computePassMajorityMetrics([[row]], options)).toThrow(GymError);
  });

  test("the spread over samples leaves the given metrics alone", () => {
    const result = computePassMajorityMetrics([[{ reward: 0 }, { reward: 0.5 }, { reward: 1 }]]);
    const before = { ...result.metrics };
    const added = addAvgSampleStdDev(result);
    expect(result.metrics).toEqual(before);
    expect(added["pass@1[avg-of-2]/accuracy/avg_sample_std_dev"]).toBeCloseTo(0.5 / Math.SQRT2, 14);
    expect(added["pass@1[avg-of-3]/accuracy/avg_sample_std_dev"]).toBeCloseTo(0.5, 14);
  });

  test("subsets of numbers, truths and texts; lists are refused", () => {
    const names = (value: unknown) => Object.keys(computeSubsetMetrics([[{ reward: 1, d: value }]], "d"))[0];
    expect([names(3), names(true), names("x/y")]).toEqual(["3/pass@1/accuracy", "True/pass@1/accuracy", "x/y/pass@1/accuracy"]);
    expect(() => names(["x"])).toThrow(GymError);
  });

  test("a pattern is text, not an expression", () => {
    expect(highestKMetrics({ "a.b@2/x": 1, "aXb@3/x": 2 }, "a.b@{k}")).toEqual({ "a.b@2/x": 1 });
  });
});
