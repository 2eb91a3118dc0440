import { describe, expect, test } from "vitest";
import { CookieJar, failureFacts, type Reply } from "../../../src/http/index.ts";
import { openRig, type Rig } from "./rig.ts";

const EPISODE_ID = { rollout_id: "r1", attempt: 0 };
const TASK_ID = { taskset: "t", task_id: "1" };

function callerOf(rig: Rig, jar = new CookieJar()) {
  const post = (path: string, body: unknown): Promise<Reply> => rig.client.call("resources", { kind: "control", path, body, jar });
  return {
    jar,
    seed: (id: string, rest: object = {}) =>
      post("/seed_session", { resources_session_id: id, episode_id: EPISODE_ID, task_id: TASK_ID, task_data: {}, ...rest }),
    seedRow: () => post("/seed_session", { any: "row" }),
    close: (id: string, episode_id: object = EPISODE_ID) => post("/close_session", { resources_session_id: id, episode_id }),
  };
}

describe.each(["local", "sockets"] as const)("typed sessions of a resources server by %s", (way) => {
  test("a close without the cookie frees all that was seeded under the id", async () => {
    await using rig = await openRig({ way });
    await callerOf(rig).seed("s");
    await callerOf(rig).seed("s");
    await callerOf(rig).seed("other");
    expect(rig.script.open.size).toBe(3);
    const closed = await callerOf(rig).close("s");
    expect([closed.status, closed.json()]).toEqual([200, { resources_session_id: "s" }]);
    expect(rig.script.open.size).toBe(1);
  });

  test("the same caller that seeds again gets the same answer, and its session is seeded once", async () => {
    await using rig = await openRig({ way });
    const caller = callerOf(rig);
    const answers = [await caller.seed("s"), await caller.seed("s")].map((reply) => reply.json());
    expect(answers[0]).toEqual({ resources_session_id: "s", resources_tools: null, sandbox_access: null });
    expect(answers[1]).toEqual(answers[0]);
    expect(rig.script.log).toEqual(["seed"]);
  });

  test("an id is one episode's and one task's", async () => {
    await using rig = await openRig({ way });
    await callerOf(rig).seed("s");
    const refused = [
      await callerOf(rig).seed("s", { episode_id: { rollout_id: "r2" } }),
      await callerOf(rig).seed("s", { task_id: { taskset: "t", task_id: "2" } }),
      await callerOf(rig).close("s", { rollout_id: "r1", attempt: 1 }),
    ];
    for (const reply of refused) {
      expect(reply.status).toBe(500);
      expect(failureFacts(reply.headers)).toMatchObject({ boundary: "resources", failure_kind: "resources:session_refused" });
    }
    expect(rig.script.open.size).toBe(1);
  });

  test("a close that overtakes its seed waits for it, and no seed comes after", async () => {
    await using rig = await openRig({ way });
    const gate = Promise.withResolvers<void>();
    rig.script.behaviour.seed = () => gate.promise;
    const seeding = callerOf(rig).seed("s");
    await rig.script.reached("seed");
    const closing = callerOf(rig).close("s");
    gate.resolve();
    await Promise.all([seeding, closing]);
    expect([...rig.script.open]).toEqual([]);
    expect((await callerOf(rig).seed("s")).status).toBe(500);
    await callerOf(rig).close("unseen");
    expect((await callerOf(rig).seed("unseen")).status).toBe(500);
    expect([...rig.script.open]).toEqual([]);
  });

  test("a release that fails raises, and the next close tries it again", async () => {
    await using rig = await openRig({ way });
    await callerOf(rig).seed("s");
    rig.script.behaviour.release = () => {
      throw new Error("the disk is full");
    };
    const failed = await callerOf(rig).close("s");
    expect([failed.status, failed.headers["x-ng-failure-kind"]]).toEqual([500, "session_release_failed"]);
    expect(rig.script.open.size).toBe(1);
    delete rig.script.behaviour.release;
    expect((await callerOf(rig).close("s")).status).toBe(200);
    expect([...rig.script.open]).toEqual([]);
    expect((await callerOf(rig).close("s")).status).toBe(200);
    expect(rig.script.log.filter((stage) => stage === "release")).toHaveLength(2);
  });

  test("a caller that leaves its close does not stop it", async () => {
    await using rig = await openRig({ way });
    await callerOf(rig).seed("s");
    const gate = Promise.withResolvers<void>();
    let heard: AbortSignal | undefined;
    rig.script.behaviour.release = ({ signal }) => {
      heard = signal;
      return gate.promise;
    };
    const caller = new AbortController();
    const body = { resources_session_id: "s", episode_id: EPISODE_ID };
    const leaving = rig.client.call("resources", { kind: "control", path: "/close_session", body, signal: caller.signal });
    await rig.script.reached("release");
    caller.abort();
    await expect(leaving).rejects.toMatchObject({ code: "NG_ERR_CANCELLED" });
    const again = callerOf(rig).close("s");
    gate.resolve();
    expect((await again).status).toBe(200);
    expect([heard?.aborted, [...rig.script.open]]).toEqual([false, []]);
  });

  test("a session that a row seeded is closed by its cookie", async () => {
    await using rig = await openRig({ way });
    const caller = callerOf(rig);
    await caller.seedRow();
    expect((await caller.close("any")).status).toBe(200);
    expect([...rig.script.open]).toEqual([]);
  });

  test("a seed that failed may be sent again, and is closed with the rest", async () => {
    await using rig = await openRig({ way });
    rig.script.behaviour.seed = () => {
      delete rig.script.behaviour.seed;
      throw new Error("not yet");
    };
    expect((await callerOf(rig).seed("s")).status).toBe(500);
    expect((await callerOf(rig).seed("s")).status).toBe(200);
    await callerOf(rig).close("s");
    expect([...rig.script.open]).toEqual([]);
  });
});
