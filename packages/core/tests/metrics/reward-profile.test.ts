import { describe, expect, test } from "vitest";
import { agentLabels, createRewardProfile, type Row, sampleOf } from "../../src/metrics/index.ts";

const input = (task: number, rollout: number, agent?: string): Row => ({
  _ng_task_index: task,
  _ng_rollout_index: rollout,
  ...(agent === undefined ? {} : { agent_ref: { name: agent } }),
});
const result = (task: number, rollout: number, fields: Row): Row => ({ _ng_task_index: task, _ng_rollout_index: rollout, ...fields });

describe("reward profile", () => {
  test("inputs and rollouts may come in any order and mixed", () => {
    const feed = (order: ("input" | "rollout")[]) => {
      const builder = createRewardProfile<string>();
      for (const kind of order) {
        for (const rollout of kind === "input" ? [1, 0] : [0, 1]) {
          if (kind === "input") builder.addInput(input(0, rollout, "a"), `line ${rollout}`);
          else builder.addRollout(result(0, rollout, { reward: rollout }));
        }
      }
      const profile = builder.finish();
      return JSON.stringify([profile.summary, [...profile.tasks()], profile.agentMetrics, profile.repeatLevelMetrics]);
    };
    expect(feed(["rollout", "input"])).toBe(feed(["input", "rollout"]));
  });

  test("the sample is the input of the lowest measured rollout and stands before the counts", () => {
    const builder = createRewardProfile<number>();
    for (const rollout of [2, 1, 0]) builder.addInput(input(0, rollout, "a"), rollout);
    builder.addRollout(result(0, 0, { reward: 0, mask_sample: true }));
    builder.addRollout(result(0, 2, { reward: 1 }));
    builder.addRollout(result(0, 1, { reward: 1 }));
    const [task] = [...builder.finish().tasks()];
    expect(task?.ref).toBe(1);
    const keys = Object.keys(task?.row ?? {});
    expect(keys.indexOf("sample")).toBe(keys.indexOf("num_rollouts") - 1);
    expect(sampleOf(input(0, 1, "a"))).toEqual({ agent_ref: { name: "a" } });
  });

  test("a failed rollout is no result: not averaged, still expected, counted", () => {
    const builder = createRewardProfile<number>();
    for (const rollout of [0, 1]) builder.addInput(input(0, rollout, "a"), rollout);
    builder.addRollout(result(0, 0, { reward: 1 }));
    builder.addRollout(result(0, 1, { reward: 0, _ng_failure_class: "agent_run_error" }));
    const profile = builder.finish();
    expect([...profile.tasks()][0]?.row).toMatchObject({ "mean/reward": 1, expected_num_rollouts: 2, missing_num_rollouts: 1 });
    expect(profile.summary).toMatchObject({ completed_rollout_rows: 1, failed_rollout_rows: 1, partial_input_rows: 1 });
    expect(profile.agentMetrics).toMatchObject([{ "mean/reward": 1, "coverage/failed_rollouts": 1 }]);
    expect(profile.notes().failedRollouts).toEqual({ agent_run_error: 1 });
  });

  test("errors list the first ten keys", () => {
    const builder = createRewardProfile<number>();
    for (let task = 0; task < 12; task++) builder.addInput(input(task, 0), task);
    expect(() => builder.finish()).toThrow(/12 of 12 input rows have no rollout: .*\(9, 0\), \.\.\.$/);
    for (let task = 90; task < 93; task++) builder.addRollout(result(task, 0, {}));
    expect(() => builder.finish()).toThrow(/3 rollouts have no input row: .*\(90, 0\), \(91, 0\), \(92, 0\)$/);
  });

  test.each(["false", "no", "0", "", false])("the partial switch %j is off", (allowPartialRollouts) => {
    const builder = createRewardProfile<number>({ allowPartialRollouts });
    builder.addInput(input(0, 0), 0);
    expect(() => builder.finish()).toThrow(/have no rollout/);
  });
});

describe("labels of agents", () => {
  test.each([
    ["the agent where there is no server", [{ agent: "a" }], ["a"]],
    ["the agent where one server ran it", [{ agent: "a", environmentServer: "e" }], ["a"]],
    [
      "the servers where two ran it",
      [
        { agent: "a", environmentServer: "e" },
        { agent: "a", environmentServer: "f" },
      ],
      ["e", "f"],
    ],
    ["the server where there is no agent", [{ environmentServer: "e" }], ["e"]],
    ["nothing where there is neither", [{}], [undefined]],
    [
      "the server where two would be called alike",
      [
        { agent: "f", environmentServer: "e" },
        { agent: "x", environmentServer: "f" },
        { agent: "x", environmentServer: "g" },
      ],
      ["e", "f", "g"],
    ],
  ])("%s", (_name, runners, labels) => {
    expect(agentLabels(runners)).toEqual(labels);
  });
});
