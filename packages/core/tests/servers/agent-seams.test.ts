import { startFakeUpstream, startTestServers, type TestServers, type TestServersOptions } from "@ng-gym/testing";
import { describe, expect, test } from "vitest";
import { TextBody } from "../../src/http/index.ts";

const SERVERS: TestServersOptions["servers"] = {
  weather: { type: "resources_servers", implementation: "example_single_tool_call" },
  policy_model: { type: "responses_api_models", implementation: "simulated_model" },
  agent: {
    type: "responses_api_agents",
    implementation: "simple_agent",
    config: {
      resources_server: { type: "resources_servers", name: "weather" },
      model_server: { type: "responses_api_models", name: "policy_model" },
    },
  },
};
const RELAY = "agent_environment_server";
const ROW = { responses_create_params: { input: "How is the weather in Bergen?" } };

describe.each([true, false])("the relay in front of an agent, local dispatch %s", (localDispatch) => {
  test.each([
    ["broken JSON", new TextBody('{"a": '), "application/json", "json_invalid"],
    ["another content type", new TextBody(JSON.stringify(ROW)), "text/plain", "model_attributes_type"],
    ["nothing", undefined, "application/json", "missing"],
    ["a list", [], "application/json", "model_attributes_type"],
  ])("%s is the agent's to refuse", async (_name, body, type, issue) => {
    await using servers = await startTestServers({ servers: SERVERS, localDispatch });
    const post = (name: string) => servers.call(name, "/run", body, { headers: { "content-type": type } });
    const [relayed, direct] = await Promise.all([post(RELAY), post("agent")]);
    expect([relayed.status, relayed.json()]).toMatchObject([422, { detail: [{ type: issue }] }]);
    expect(relayed.json()).toEqual(direct.json());
  });

  test("a rollout goes through it, the agent's session too; metrics open none", async () => {
    await using servers = await startTestServers({ servers: SERVERS, localDispatch });
    const run = await servers.call(RELAY, "/run", ROW, { kind: "run" });
    expect(run.json()).toMatchObject({ reward: expect.any(Number) });
    expect(run.setCookies).toEqual([expect.stringMatching(/^SimpleAgent___agent=/)]);
    const metrics = await servers.call(RELAY, "/aggregate_metrics", { verify_responses: [run.json()] });
    expect(metrics.json()).toMatchObject({ agent_metrics: {}, perf_summary: null, repeat_level_metrics: [] });
    expect(metrics.setCookies).toEqual([]);
  });
});

test.each([
  [{}, undefined],
  [{ _ng_task_index: 4, _ng_rollout_index: 1 }, "4-1"],
  [{ _ng_task_index: 4, _ng_rollout_index: 1, _ng_attempt_index: 2 }, "4-1-a2"],
  [{ _ng_rollout_id: "job.7", _ng_attempt_index: 1 }, "job.7-a1"],
])("the model server is told the attempt of %j: %s", async (keys, told) => {
  await using upstream = await startFakeUpstream();
  await using servers = await startTestServers({ servers: SERVERS, addresses: { policy_model: upstream.origin } });
  expect((await servers.call("agent", "/run", { ...ROW, ...keys })).status).toBe(200);
  expect(upstream.requests[0]?.headers["x-ng-rollout-id"]).toBe(told);
});

test("each server of a rollout gets its own cookies alone, however the caller mixes them", async () => {
  await using upstream = await startFakeUpstream();
  await using resources = await startFakeUpstream({
    scripts: {
      "/seed_session": [
        {
          json: {},
          headers: [
            ["set-cookie", "Res___weather=s1; path=/"],
            ["set-cookie", "pod=7"],
          ],
        },
      ],
      "/verify": [{ json: { reward: 1, ...ROW, response: {} } }],
    },
  });
  await using servers: TestServers = await startTestServers({
    servers: SERVERS,
    addresses: { policy_model: upstream.origin, weather: resources.origin },
  });
  const cookie = "Agent___other=a; Res___weather=old; SimulatedModel___policy_model=m; route=blue";
  await servers.call("agent", "/run", ROW, { headers: { cookie } });
  const sent = resources.requests.map(({ path, headers }) => [path, headers.cookie]);
  expect(sent).toEqual([
    ["/seed_session", "Res___weather=old; route=blue"],
    ["/verify", "Res___weather=s1; pod=7"],
  ]);
  expect(upstream.requests.map(({ headers }) => headers.cookie)).toEqual([undefined]);
});
