import { describe, expect, test } from "vitest";
import { CookieJar, type Reply } from "../../../src/http/index.ts";
import { openRig, type Rig, untilAborted } from "./rig.ts";

const EPISODE_ID = { rollout_id: "r1", attempt: 0 };
const seedOf = (id: string): Record<string, unknown> => ({
  agent_session_id: id,
  episode_id: EPISODE_ID,
  task_id: { taskset: "t", task_id: "1" },
});

function callerOf(rig: Rig, jar = new CookieJar()) {
  const post = (path: string, body: unknown): Promise<Reply> => rig.client.call("agent", { kind: "control", path, body, jar });
  return {
    jar,
    seed: (id: string, rest: object = {}) => post("/v1/agent_sessions", { ...seedOf(id), ...rest }),
    work: () => post("/v1/responses", { input: "go" }),
    close: (id: string, episode_id: object = EPISODE_ID) => post("/v1/agent_sessions/close", { agent_session_id: id, episode_id }),
  };
}
const saying = (reply: Reply): [number, unknown] => [reply.status, (reply.json() as { detail?: unknown }).detail];

describe.each(["local", "sockets"] as const)("sessions of an agent by %s", (way) => {
  test("a seed that is on its way is answered once, whoever asks again", async () => {
    await using rig = await openRig({ way });
    const gate = Promise.withResolvers<void>();
    rig.script.behaviour.open = () => gate.promise;
    const first = callerOf(rig).seed("s");
    await rig.script.reached("open");
    // Its caller lost the connection and asks again, without the cookie that it never got.
    const again = callerOf(rig);
    const second = again.seed("s");
    const other = await callerOf(rig).seed("s", { task_id: { taskset: "t", task_id: "2" } });
    expect(saying(other)).toEqual([409, "agent_session_id is already bound to another seed request"]);
    gate.resolve();
    expect([(await first).status, (await second).status]).toEqual([200, 200]);
    expect(rig.script.log).toEqual(["open"]);
    expect((await again.work()).status).toBe(200);
  });

  test("defaults written out are the same seed", async () => {
    await using rig = await openRig({ way });
    await callerOf(rig).seed("s", { tool_accesses: [{ kind: "direct_http", name: "a", base_url: "http://h" }] });
    const access = { kind: "direct_http", name: "a", base_url: "http://h", required: true, headers: {}, cookies: {} };
    expect((await callerOf(rig).seed("s", { tool_accesses: [access], sandbox_access: null })).status).toBe(200);
    expect(rig.script.log).toEqual(["open"]);
  });

  test("a cookie is its session's, not another's", async () => {
    await using rig = await openRig({ way });
    const caller = callerOf(rig);
    await caller.seed("s1");
    await callerOf(rig).seed("s2");
    expect((await caller.seed("s2")).status).toBe(409);
    expect((await caller.close("s2")).status).toBe(409);
    expect((await caller.seed("s3")).status).toBe(409);
    expect(rig.script.open.size).toBe(2);
  });

  test("a close ends the call that is at work, waits for it, and is answered alike however often it is asked for", async () => {
    await using rig = await openRig({ way });
    const caller = callerOf(rig);
    await caller.seed("s");
    rig.script.behaviour.work = untilAborted;
    const working = caller.work();
    await rig.script.reached("work");
    const gate = Promise.withResolvers<void>();
    rig.script.behaviour.finish = () => gate.promise;
    const closes = [callerOf(rig, caller.jar).close("s"), callerOf(rig).close("s")];
    await rig.script.reached("finish");
    expect((await working).status).toBe(500);
    expect(saying(await caller.work())).toEqual([409, "Unknown or closing agent_session_id"]);
    expect((await callerOf(rig).seed("s")).status).toBe(409);
    gate.resolve();
    const answers = (await Promise.all([...closes, callerOf(rig).close("s")])).map((reply) => [reply.status, reply.json()]);
    expect(answers).toEqual(Array(3).fill([200, { agent_session_id: "s", agent_observations: { seen: 1 }, resources_cookies: null }]));
    expect(rig.script.log.filter((stage) => stage === "finish")).toHaveLength(1);
    expect([...rig.script.open]).toEqual([]);
  });

  test("a close that overtakes its seed waits for it", async () => {
    await using rig = await openRig({ way });
    const gate = Promise.withResolvers<void>();
    rig.script.behaviour.open = () => gate.promise;
    const seeding = callerOf(rig).seed("s");
    await rig.script.reached("open");
    const closing = callerOf(rig).close("s");
    gate.resolve();
    await seeding;
    expect((await closing).json()).toMatchObject({ agent_observations: { seen: 1 } });
    expect([...rig.script.open]).toEqual([]);
  });

  test("a close that fails may be asked for again", async () => {
    await using rig = await openRig({ way });
    const caller = callerOf(rig);
    await caller.seed("s");
    rig.script.behaviour.finish = () => {
      throw new Error("not yet");
    };
    expect((await caller.close("s")).status).toBe(500);
    expect(rig.script.open.size).toBe(1);
    delete rig.script.behaviour.finish;
    expect((await caller.close("s")).status).toBe(200);
    expect([...rig.script.open]).toEqual([]);
  });

  test("a caller that leaves its close does not stop it", async () => {
    await using rig = await openRig({ way });
    await callerOf(rig).seed("s");
    const gate = Promise.withResolvers<void>();
    rig.script.behaviour.finish = () => gate.promise;
    const caller = new AbortController();
    const body = { agent_session_id: "s", episode_id: EPISODE_ID };
    const call = { kind: "control", path: "/v1/agent_sessions/close", body, signal: caller.signal } as const;
    const leaving = rig.client.call("agent", call);
    await rig.script.reached("finish");
    caller.abort();
    await expect(leaving).rejects.toMatchObject({ code: "NG_ERR_CANCELLED" });
    gate.resolve();
    expect((await callerOf(rig).close("s")).json()).toMatchObject({ agent_observations: { seen: 1 } });
    expect([...rig.script.open]).toEqual([]);
  });

  test("a seed that is refused opens nothing", async () => {
    await using rig = await openRig({ way });
    rig.script.behaviour.open = () => {
      throw new Error("no such tool");
    };
    const refused = await callerOf(rig).seed("s");
    expect([refused.status, refused.setCookies]).toEqual([500, []]);
    expect((await callerOf(rig).close("s")).json()).toMatchObject({ agent_session_id: "s", resources_cookies: null });
    delete rig.script.behaviour.open;
    expect((await callerOf(rig).seed("s")).status).toBe(409);
  });
});

test("a server that stops frees what is open", async () => {
  const rig = await openRig();
  await callerOf(rig).seed("s1");
  await callerOf(rig).seed("s2");
  expect(rig.script.open.size).toBe(2);
  await rig[Symbol.asyncDispose]();
  await expect.poll(() => rig.script.open.size).toBe(0);
});

test("an agent without sessions says so", async () => {
  await using rig = await openRig({ way: "local", sessions: false });
  for (const reply of [await callerOf(rig).seed("s"), await callerOf(rig).close("s")]) {
    expect([reply.status, reply.json()]).toEqual([500, expect.stringContaining("no agent sessions")]);
  }
  expect((await rig.run()).failure).toMatchObject({ stage: "seed", terminal: false });
  expect([...rig.script.open]).toEqual([]);
});
