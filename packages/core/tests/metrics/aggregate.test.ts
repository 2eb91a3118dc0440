import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gridRows } from "@ng-gym/testing";
import { describe, expect, test } from "vitest";
import { type Aggregator, aggregateMetrics, createAggregator, MAX_METRIC_COLUMNS, type Row } from "../../src/metrics/index.ts";
import { GymError } from "../../src/protocol/index.ts";

const row = (task: number | string, rollout: number, fields: Row): Row => ({ _ng_task_index: task, _ng_rollout_index: rollout, ...fields });

describe("aggregation", () => {
  test("the order of arrival changes nothing, not even the order of keys", () => {
    const rows = gridRows({ tasks: 9, repeats: 3, seed: 5, fields: [{ name: "reward", mod: 11, div: 10 }] }).map((own, index) => ({
      ...own,
      [`extra_${index % 4}`]: index,
    }));
    const expected = JSON.stringify(aggregateMetrics(rows));
    expect(JSON.stringify(aggregateMetrics(rows.toReversed()))).toBe(expected);
    expect(JSON.stringify(aggregateMetrics(rows.toSorted((a, b) => Math.sin(a.reward ?? 0) - Math.sin(b.reward ?? 0))))).toBe(expected);
  });

  test("values that cannot be summarised are left out by name, the others are computed", () => {
    const aggregator = createAggregator();
    aggregator.add(row(0, 0, { reward: 1, bad: Number.POSITIVE_INFINITY, huge: 1.7e308 }));
    aggregator.add(row(1, 0, { reward: 0, bad: 2, huge: -1.7e308, nan: Number.NaN }));
    aggregator.add(row(1, 1, { reward: true, bad: 2, huge: 2 ** 50, response: { usage: { tokens: Number.NEGATIVE_INFINITY } } }));
    const { agent_metrics, group_level_metrics } = aggregator.finish();
    expect(agent_metrics).toMatchObject({ "mean/reward": 2 / 3, "mean/bad": 2, "max/bad": 2, "max/huge": 1.7e308 });
    expect(JSON.stringify([agent_metrics, group_level_metrics])).not.toMatch(/null|Infinity/);
    const { leftOut } = aggregator.notes();
    for (const field of ["bad", "nan", "tokens"]) expect(leftOut).toContainEqual({ field, reason: "not_finite", count: 1 });
    expect(leftOut.filter(({ field }) => field.includes("reward"))).toEqual([]);
  });

  test("no result field changes a grouping key", () => {
    const rows = [0, 1].map((task) => row(task, 0, { reward: task, agent_name: task * 5, rollout_id: 77, sample: 3, num_rollouts: 9 }));
    const { group_level_metrics, agent_metrics } = aggregateMetrics(rows);
    expect(agent_metrics).toMatchObject({ "mean/reward": 0.5, "mean/agent_name": 2.5, "mean/rollout_id": 77 });
    expect(group_level_metrics).toMatchObject([
      { _ng_task_index: 0, num_rollouts: 1, rollout_infos: [{ rollout_id: "0:0", agent_name: 0 }] },
      { _ng_task_index: 1, num_rollouts: 1, rollout_infos: [{ rollout_id: "1:0", agent_name: 5 }] },
    ]);
  });

  test("failed rows are counted by class and never averaged", () => {
    const aggregator = createAggregator();
    aggregator.add(row(0, 0, { reward: 1 }));
    aggregator.add(row(1, 0, { reward: 0, _ng_failure_class: "judge_failed", mask_sample: true }));
    aggregator.add(row(2, 0, { reward: 0, _ng_failure_class: "agent_run_error" }));
    aggregator.add(row(2, 0, { reward: 0, _ng_failure_class: "agent_run_error" }));
    const { agent_metrics, key_metrics } = aggregator.finish();
    const coverage = {
      "coverage/measured_rollouts": 1,
      "coverage/masked_rollouts": 0,
      "coverage/failed_rollouts": 3,
      "coverage/measured_tasks": 1,
      "coverage/fully_masked_tasks": 2,
    };
    expect(agent_metrics).toMatchObject({ "mean/reward": 1, ...coverage });
    expect(key_metrics).toEqual({ "mean/reward": 1, ...coverage });
    expect(aggregator.notes().failedRollouts).toEqual({ judge_failed: 1, agent_run_error: 2 });
  });

  test("numbers and texts may be task ids side by side; 1 and its text are two tasks", () => {
    const { group_level_metrics } = aggregateMetrics([
      row("b", 0, { reward: 1 }),
      row("1", 0, { reward: 1 }),
      row(10, 0, {}),
      row(1, 0, { reward: 0 }),
    ]);
    expect(group_level_metrics.map((group) => group._ng_task_index)).toEqual([1, 10, "1", "b"]);
  });

  test("an index that is a list, and a pair measured twice, name the pair", () => {
    const aggregator = createAggregator();
    expect(() => aggregator.add({ _ng_task_index: [1] })).toThrow(/_ng_task_index must be a number or text, got \[1\]/);
    aggregator.add(row(4, 2, { reward: 1 }));
    expect(() => aggregator.add(row(4, 2, { reward: 1 }))).toThrow(/\(4, 2\)/);
  });

  test("the number of columns is bounded", () => {
    const wide = Object.fromEntries(Array.from({ length: MAX_METRIC_COLUMNS + 7 }, (_, index) => [`c${index}`, index]));
    const aggregator = createAggregator();
    aggregator.add(row(0, 0, { reward: 1, ...wide }));
    expect(Object.keys(aggregator.finish().agent_metrics).filter((name) => name.startsWith("mean/"))).toHaveLength(MAX_METRIC_COLUMNS);
    expect(aggregator.notes().leftOut).toHaveLength(8);
  });

  test("an added row after the end is a mistake of the caller; a second end gives the same answer", () => {
    const aggregator = createAggregator({ computeMetrics: (tasks) => ({ tasks: tasks.length }) });
    aggregator.add(row(0, 0, { reward: 1 }));
    expect(aggregator.finish()).toBe(aggregator.finish());
    expect(() => aggregator.add(row(1, 0, {}))).toThrow(/after finish/);
  });
});

describe("hooks", () => {
  test("get measured rows without their response, in order of arrival within a task", () => {
    let seen: unknown;
    aggregateMetrics(
      [
        row(3, 1, { reward: 1, response: { output: ["long"], usage: { a: 1 }, incomplete_details: null }, responses_create_params: {} }),
        row(3, 0, { reward: 0, response: { output: ["long"] }, ng_trajectory: {} }),
        row(1, 0, { reward: 0, mask_sample: true }),
      ],
      {
        computeMetrics: (tasks) => {
          seen = tasks;
          return {};
        },
      },
    );
    expect(seen).toEqual([[row(3, 1, { reward: 1, response: { usage: { a: 1 } } }), row(3, 0, { reward: 0 })]]);
  });

  test("numbers that are not finite stay out of the answer and are reported", () => {
    const aggregator = createAggregator({ computeMetrics: () => ({ bleu: Number.NaN, ok: 1 }) });
    aggregator.add(row(0, 0, { reward: 1 }));
    expect(Object.keys(aggregator.finish().agent_metrics)).not.toContain("bleu");
    expect(aggregator.notes().leftOut).toEqual([{ field: "bleu", reason: "not_finite", count: 1 }]);
  });

  test.each([[[{ note: "x" }]], ["text"], [{ _ng_task_index: null }]])("per_task_metrics %j is refused", (perTask) => {
    expect(() => aggregateMetrics([row(0, 0, { reward: 1 })], { computeMetrics: () => ({ per_task_metrics: perTask }) })).toThrow(GymError);
  });
});

describe("memory", () => {
  setFlagsFromString("--expose-gc");
  const gc: () => void = runInNewContext("gc");

  async function survivors(aggregator: Aggregator): Promise<number> {
    const refs = Array.from({ length: 20 }, (_, index) => {
      const own = row(index, 0, { reward: 1, text: "x".repeat(1000), response: { usage: { tokens: 1 } } });
      aggregator.add(own);
      return [new WeakRef(own), new WeakRef(own.response as object)];
    });
    await setImmediate();
    gc();
    const alive = refs.flat().filter((ref) => ref.deref() !== undefined).length;
    // Used after the count, so that the aggregator itself cannot have been collected.
    expect(aggregator.finish().group_level_metrics).toHaveLength(20);
    return alive;
  }

  test("no row is kept, with or without a hook that picks the headline", async () => {
    expect(await survivors(createAggregator())).toBe(0);
    expect(await survivors(createAggregator({ getKeyMetrics: () => ({}) }))).toBe(0);
  });

  test("with a hook over tasks the responses still go", async () => {
    expect(await survivors(createAggregator({ computeMetrics: () => ({}) }))).toBe(0);
  });
});
