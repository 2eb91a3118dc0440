import { expect, test } from "vitest";
import { failureFacts } from "../../../src/http/index.ts";
import { EPISODE, openRig, type Rig, STAGES, type Stage, untilAborted } from "./rig.ts";

const failureOf = (answer: Record<string, unknown>): Record<string, unknown> => answer.failure as Record<string, unknown>;

test.each<[Stage, string]>([
  ["open", "seed"],
  ["work", "agent"],
  ["finish", "cleanup"],
])("an agent that dies at %s: stage %s may be tried again, and the resources server's session is closed", async (stage, told) => {
  await using rig = await openRig();
  rig.script.behaviour[stage] = async () => {
    void rig.killAgent();
    await new Promise(() => {});
  };
  const reply = await rig.client.call("environment", { kind: "run", path: "/run", body: EPISODE });
  expect(failureOf(reply.json() as Record<string, unknown>)).toMatchObject({ stage: told, terminal: false });
  expect(failureFacts(reply.headers)).toMatchObject({ boundary: "agent", failure_kind: expect.stringMatching(/^transport_/) });
  expect([...rig.script.open].filter((id) => id.startsWith("resources"))).toEqual([]);
  expect(rig.script.log.at(-1)).toBe("release");
  expect(rig.lines.join()).toContain("the session of agent was not closed");
});

test("an agent that never closes its session: the episode ends within its limits, and what it had is kept", async () => {
  await using rig = await openRig({ config: { cleanup_timeout_seconds: 1 } });
  rig.script.behaviour.finish = () => new Promise(() => {});
  const { failure } = await rig.run();
  expect(failure).toMatchObject({
    stage: "cleanup",
    terminal: false,
    failure_reason: expect.stringContaining("cleanup_timeout_seconds"),
    partial_response: { id: "resp_1" },
  });
  expect([...rig.script.open].filter((id) => id.startsWith("resources"))).toEqual([]);
});

test("a resources server that cannot free its session costs a line in the log, not the reward", async () => {
  await using rig = await openRig({ config: { cleanup_timeout_seconds: 1 } });
  rig.script.behaviour.release = () => new Promise(() => {});
  expect((await rig.run()).result).toMatchObject({ reward: 1 });
  expect(rig.lines.join()).toContain("the session of resources was not closed");
});

test("an episode that takes too long: no reward, may be tried again, nothing stays open", async () => {
  await using rig = await openRig({ config: { default_episode_timeout_seconds: 1 } });
  rig.script.behaviour.work = untilAborted;
  const reply = await rig.client.call("environment", { kind: "run", path: "/run", body: EPISODE });
  expect(failureOf(reply.json() as Record<string, unknown>)).toMatchObject({
    stage: "agent",
    terminal: false,
    failure_reason: expect.stringContaining("default_episode_timeout_seconds (1)"),
  });
  expect(failureFacts(reply.headers)).toMatchObject({ failure_kind: "agent_timeout", boundary: "environment" });
  expect([...rig.script.open]).toEqual([]);
});

/** Runs two episodes where one may be at work; the first waits in its stage until it is let go. */
async function crowded(rig: Rig): Promise<{ first: Promise<Record<string, unknown>>; letGo: () => void }> {
  const gate = Promise.withResolvers<void>();
  rig.script.behaviour.work = () => gate.promise;
  const first = rig.run();
  await rig.script.reached("work");
  return { first, letGo: gate.resolve };
}
const NEXT = { ...EPISODE, episode_id: { rollout_id: "r2" } };

test("one that is not admitted in time fails at stage admission, and has called nobody", async () => {
  await using rig = await openRig({ config: { max_concurrent_episodes: 1, queue_timeout_seconds: 0.05 } });
  const { first, letGo } = await crowded(rig);
  const reply = await rig.client.call("environment", { kind: "run", path: "/run", body: NEXT });
  expect(reply.status).toBe(200);
  expect(failureOf(reply.json() as Record<string, unknown>)).toMatchObject({
    stage: "admission",
    terminal: false,
    failure_reason: expect.stringContaining("max_concurrent_episodes"),
  });
  expect(failureFacts(reply.headers)).toMatchObject({ failure_kind: "environment:overloaded", boundary: "environment" });
  expect(rig.script.log).toEqual(["seed", "open", "work"]);
  letGo();
  expect((await first).result).toMatchObject({ reward: 1 });
});

test("one that waits runs when the one before it has closed everything", async () => {
  await using rig = await openRig({ config: { max_concurrent_episodes: 1, queue_timeout_seconds: 60 } });
  const { first, letGo } = await crowded(rig);
  const second = rig.run(undefined, NEXT);
  await expect.poll(() => rig.environment.queued?.()).toBe(1);
  letGo();
  expect((await Promise.all([first, second])).map(({ result }) => (result as { reward: number }).reward)).toEqual([1, 1]);
  expect(rig.script.log).toEqual([...STAGES, ...STAGES]);
});

test("a caller that leaves the queue gives its place up", async () => {
  await using rig = await openRig({ config: { max_concurrent_episodes: 1, queue_timeout_seconds: 60 } });
  const { first, letGo } = await crowded(rig);
  const caller = new AbortController();
  const waiting = rig.run(caller.signal, NEXT);
  await expect.poll(() => rig.environment.queued?.()).toBe(1);
  caller.abort();
  await expect(waiting).rejects.toMatchObject({ code: "NG_ERR_CANCELLED" });
  await expect.poll(() => rig.environment.queued?.()).toBe(0);
  letGo();
  await first;
  expect(rig.script.log).toEqual([...STAGES]);
});
