import { readFileSync } from "node:fs";
import { CookieJar, type Reply } from "@ng-gym/core/http";
import { plainResponse, startTestServers, type TestServers } from "@ng-gym/testing";
import { describe, expect, test } from "vitest";

const CONFIGS = [
  "resources_servers/example_session_state_mgmt/configs/example_session_state_mgmt.yaml",
  "responses_api_models/simulated_model/configs/simulated_model.yaml",
];
const SERVER = "example_session_state_mgmt";
const rows = readFileSync(new URL("../data/example.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n");

const RESPONSE = plainResponse();

/** One caller, who keeps the cookies of the server. */
function session(server: TestServers) {
  const jar = new CookieJar();
  const post = (path: string, body: unknown): Promise<Reply> => server.client.call(SERVER, { kind: "control", path, body, jar });
  return {
    post,
    reward: async (expected_count: number): Promise<unknown> =>
      (await post("/verify", { responses_create_params: { input: "x" }, response: RESPONSE, expected_count })).json(),
  };
}

describe("a session", () => {
  test("seeding, tools and verification meet the same counter", async () => {
    await using server = await startTestServers({ configPaths: CONFIGS });
    const caller = session(server);
    await caller.post("/seed_session", { responses_create_params: { input: "x" }, initial_count: 3 });
    expect((await caller.post("/increment_counter", { count: "4" })).json()).toEqual({ success: true });
    expect((await caller.post("/get_counter_value", {})).json()).toEqual({ count: 7 });
    expect((await caller.post("/get_counter_value", undefined)).json()).toEqual({ count: 7 });
    expect(await caller.reward(7)).toMatchObject({ reward: 1 });
    expect(await caller.reward(8)).toMatchObject({ reward: 0 });
  });

  test("is not shared, and one that was never opened has no reward", async () => {
    await using server = await startTestServers({ configPaths: CONFIGS });
    const [first, second, stranger] = [session(server), session(server), session(server)];
    await first.post("/seed_session", { initial_count: 1 });
    await second.post("/seed_session", { initial_count: 2 });
    await first.post("/increment_counter", { count: 10 });
    expect(await first.reward(11)).toMatchObject({ reward: 1 });
    expect(await second.reward(2)).toMatchObject({ reward: 1 });
    const answer = await stranger.post("/verify", { responses_create_params: { input: "x" }, response: RESPONSE, expected_count: 0 });
    expect([answer.status, answer.headers["x-ng-failure-kind"]]).toEqual([410, "session_lost"]);
  });

  test("a closed one is over", async () => {
    await using server = await startTestServers({ configPaths: CONFIGS });
    const caller = session(server);
    await caller.post("/seed_session", { initial_count: 1 });
    await caller.post("/close_session", { resources_session_id: "r", episode_id: { rollout_id: "e" } });
    for (const path of ["/seed_session", "/increment_counter", "/get_counter_value"]) {
      expect((await caller.post(path, { initial_count: 1, count: 1 })).status).toBe(410);
    }
  });

  test("rows without the fields that are needed are refused", async () => {
    await using server = await startTestServers({ configPaths: CONFIGS });
    const seeding = await session(server).post("/seed_session", { responses_create_params: { input: "x" } });
    expect([seeding.status, seeding.json()]).toMatchObject([422, { detail: [{ loc: ["body", "initial_count"] }] }]);
    const verifying = await session(server).post("/verify", { responses_create_params: { input: "x" }, response: RESPONSE });
    expect([verifying.status, verifying.json()]).toMatchObject([422, { detail: [{ loc: ["body", "expected_count"] }] }]);
  });
});

test("the five example rows run", async () => {
  expect(rows).toHaveLength(5);
  await using server = await startTestServers({ configPaths: CONFIGS });
  for (const row of rows) {
    const reply = await server.call("example_session_state_mgmt_environment_server", "/run", JSON.parse(row));
    expect(reply.json()).toMatchObject({ reward: expect.any(Number), response: { metadata: { simulated: "true" } } });
  }
});
