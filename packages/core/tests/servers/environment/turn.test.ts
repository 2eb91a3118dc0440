import { describe, expect, test } from "vitest";
import { GymError } from "../../../src/errors/index.ts";
import { EPISODE, openRig, type Rig, STAGES, type Stage, untilAborted } from "./rig.ts";

/** All episodes have ended, whoever asked for them is gone or not. */
async function settled(rig: Rig): Promise<void> {
  await rig.environment.stop?.();
}

describe.each(["local", "sockets"] as const)("a turn by %s", (way) => {
  test("what breaks behind the agent is told in the words of that hop, not of those who handed it on", async () => {
    await using rig = await openRig({ way });
    rig.script.behaviour.work = () => {
      const details = { failure_kind: "policy_model:upstream_status", boundary: "policy_model", url: "/v1/responses", status: 401 };
      throw new GymError("NG_ERR_UPSTREAM_STATUS", "quoted", {
        details: { ...details, body: '{"error": "no such key"}', inner_body: "x" },
      });
    };
    const { failure } = await rig.run();
    expect(failure).toMatchObject({
      stage: "agent",
      failure_reason: 'policy_model at /v1/responses answered 401: {"error": "no such key"}',
    });
  });

  test("runs through its stages, and everything is closed", async () => {
    await using rig = await openRig({ way });
    const answer = await rig.run();
    expect(answer).toMatchObject({
      episode_id: { rollout_id: "r1", attempt: 1 },
      task_id: { taskset: "t", task_id: "7" },
      failure: null,
      result: { reward: 1, ng_agent_observations: { seen: 46 }, mask_sample: false },
    });
    const { response } = answer.result as { response: { output: { content: { text: string }[] }[] } };
    expect(response.output[0]?.content[0]?.text).toBe("/ng-rollout/r1-a1");
    expect(rig.script.log).toEqual([...STAGES]);
    expect([...rig.script.open]).toEqual([]);
    expect(rig.lines).toEqual([]);
  });

  test.each(STAGES)("a caller that leaves at %s leaves nothing open", async (stage) => {
    await using rig = await openRig({ way });
    const caller = new AbortController();
    const gone = Promise.withResolvers<void>();
    // The work of a stage ends with its caller; what closes a session does not.
    rig.script.behaviour[stage] = ["finish", "release"].includes(stage) ? () => gone.promise : untilAborted;
    const running = rig.run(caller.signal);
    running.catch(() => {});
    await rig.script.reached(stage);
    caller.abort();
    await expect(running).rejects.toMatchObject({ code: "NG_ERR_CANCELLED" });
    delete rig.script.behaviour[stage];
    gone.resolve();
    await rig.script.reached("release");
    await settled(rig);
    expect([...rig.script.open]).toEqual([]);
    expect(rig.lines).toEqual([]);
    expect((await rig.run(undefined, { ...EPISODE, episode_id: { rollout_id: "r2" } })).result).toMatchObject({ reward: 1 });
  });

  test.each<[Stage, string]>([
    ["seed", "seed"],
    ["open", "seed"],
    ["work", "agent"],
    ["finish", "cleanup"],
    ["verify", "verification"],
  ])("an error at %s is a failure of stage %s that may be tried again", async (stage, told) => {
    await using rig = await openRig({ way });
    rig.script.behaviour[stage] = () => {
      delete rig.script.behaviour[stage];
      throw new Error("out of luck");
    };
    const { result, failure } = await rig.run();
    expect(result).toBeNull();
    expect(failure).toMatchObject({ stage: told, terminal: false, failure_reason: expect.stringContaining("out of luck") });
    const came = STAGES.indexOf(stage) > STAGES.indexOf("work");
    expect((failure as { partial_response: unknown }).partial_response).toEqual(came ? expect.objectContaining({ id: "resp_1" }) : null);
    expect([...rig.script.open]).toEqual([]);
    expect(rig.script.log.at(-1)).toBe("release");
  });
});
