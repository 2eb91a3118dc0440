import { describe, expect, test } from "vitest";
import { describeNumbers, mean, populationStd, quantileOfSorted, sampleStd, sum } from "../../src/metrics/index.ts";

describe("statistics of a list", () => {
  test("sums do not lose small terms beside large ones", () => {
    expect(sum([1e16, 1, -1e16])).toBe(1);
    expect(sum(new Array(1_000_000).fill(0.1))).toBeCloseTo(100_000, 9);
  });

  test("means and spreads of values near the largest double are finite", () => {
    expect(mean([1.7e308, 1.7e308])).toBe(1.7e308);
    expect((sampleStd([1e200, 3e200]) as number) / 1e200).toBeCloseTo(Math.SQRT2, 12);
    expect(describeNumbers([-1.7e308, 1.7e308]).median).toBe(0);
  });

  test("values a rounding step apart have a spread of that size", () => {
    const std = sampleStd([0.1 + 0.2, 0.3]) as number;
    expect(std).toBeGreaterThan(0);
    expect(std).toBeLessThan(1e-16);
  });

  test("one value has no sample spread and a population spread of 0", () => {
    expect(describeNumbers([3])).toEqual({ n: 1, mean: 3, median: 3, std: undefined, min: 3, max: 3, p25: 3, p75: 3 });
    expect(populationStd([3])).toBe(0);
  });

  test("quantiles interpolate between neighbours", () => {
    expect([0, 0.25, 0.5, 0.875, 1].map((fraction) => quantileOfSorted([10, 20, 30, 40, 1000], fraction))).toEqual([10, 20, 30, 520, 1000]);
    expect(describeNumbers([4, 1, 3, 2])).toMatchObject({ median: 2.5, p25: 1.75, p75: 3.25 });
  });
});
