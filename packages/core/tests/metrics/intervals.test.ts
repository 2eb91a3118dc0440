import { describe, expect, test } from "vitest";
import { clusteredMean95, createAggregator, tInterval95, welchInterval95 } from "../../src/metrics/index.ts";

describe("interval of a mean with the task as unit", () => {
  test("each task counts once, however many rollouts it has", () => {
    const answer = clusteredMean95([[1, 1, 1, 0], [0], [0.5, 0.5], []]);
    expect(answer).toMatchObject({ known: true, tasks: 3, rollouts: 7 });
    expect(answer.mean).toBeCloseTo((0.75 + 0 + 0.5) / 3, 14);
    // t(0.975, 2) = 4.302652729749464; sem = sqrt(((1/3)^2 + (5/12)^2 + (1/12)^2) / 2 / 3)
    const half = 4.302652729749464 * Math.sqrt(((1 / 3) ** 2 + (5 / 12) ** 2 + (1 / 12) ** 2) / 6);
    if (answer.known) expect(answer.high - answer.mean).toBeCloseTo(half, 12);
  });

  test("many repeats of one task do not make it narrower", () => {
    const few = clusteredMean95([[0], [1]]);
    const many = clusteredMean95([new Array(1000).fill(0), new Array(1000).fill(1)]);
    expect(few.known && many.known && many.low === few.low && many.high === few.high).toBe(true);
  });

  test("says why there is none", () => {
    expect(clusteredMean95([])).toEqual({ known: false, reason: "no_tasks", mean: undefined, tasks: 0, rollouts: 0 });
    expect(clusteredMean95([[1, 0], []])).toEqual({ known: false, reason: "one_task", mean: 0.5, tasks: 1, rollouts: 2 });
    expect(clusteredMean95([[1.7e308], [-1.7e308]])).toMatchObject({ known: false, reason: "not_finite" });
  });

  test("an aggregator gives it for the reward and for any column, without masked rows", () => {
    const aggregator = createAggregator();
    aggregator.add({ _ng_task_index: 0, reward: 1, steps: 4 });
    aggregator.add({ _ng_task_index: 1, reward: 0, steps: 4 });
    aggregator.add({ _ng_task_index: 2, reward: 9, mask_sample: true });
    expect(aggregator.meanInterval()).toMatchObject({ known: true, mean: 0.5, tasks: 2 });
    expect(aggregator.meanInterval("steps")).toMatchObject({ known: true, low: 4, high: 4 });
    expect(aggregator.meanInterval("absent")).toMatchObject({ known: false, reason: "no_tasks" });
  });
});

describe("other intervals", () => {
  test("no standard error, no width", () => {
    expect(tInterval95(0.3, 0, 1)).toEqual({ low: 0.3, high: 0.3 });
  });

  test("Welch: equal spreads and sizes give the pooled degrees of freedom", () => {
    const interval = welchInterval95([1, 2, 3], [2, 3, 4]);
    const half = 2.7764451051977934 * Math.sqrt(2 / 3);
    expect(interval?.low).toBeCloseTo(1 - half, 12);
    expect(interval?.high).toBeCloseTo(1 + half, 12);
  });

  test("Welch: one constant side leaves the other side's degrees of freedom", () => {
    const interval = welchInterval95([5, 5, 5, 5], [1, 2, 3]);
    expect(interval?.high).toBeCloseTo(-3 + 4.302652729749464 / Math.sqrt(3), 12);
  });

  test("Welch: constant sides, and too few values", () => {
    expect(welchInterval95([1, 1], [3, 3])).toEqual({ low: 2, high: 2 });
    expect(welchInterval95([1], [3, 3])).toBeUndefined();
  });
});
