import { expect, test } from "vitest";
import { environmentKind } from "../../../src/servers/environment/environment.ts";
import { HttpError } from "../../../src/servers/error-reply.ts";
import { toLog } from "../../../src/telemetry/index.ts";
import { EPISODE, openRig } from "./rig.ts";

test.each([
  [400, true],
  [404, true],
  [408, false],
  [409, true],
  [422, true],
  [425, false],
  [429, false],
  [500, false],
  [503, false],
])("a server that answers %i: terminal %s", async (status, terminal) => {
  await using rig = await openRig({ way: "local" });
  rig.script.behaviour.seed = () => {
    throw new HttpError(status, "no");
  };
  expect((await rig.run()).failure).toMatchObject({ stage: "seed", terminal, failure_reason: expect.stringContaining(String(status)) });
});

test("a judge that could not be reached is a failure with its kind, never the reward beside it", async () => {
  await using rig = await openRig({ way: "local" });
  const told = { _ng_failure_class: "judge_failed", failure_kind: "judge_failed", failure_reason: "the judge is away" };
  rig.script.verified = { reward: 0, ...told };
  const { result, failure } = await rig.run();
  expect(result).toBeNull();
  expect(failure).toMatchObject({
    stage: "verification",
    terminal: false,
    failure_kind: "judge_failed",
    failure_reason: "the judge is away",
    partial_response: { id: "resp_1" },
  });
});

test("keys of the collector do not leave in a result", async () => {
  await using rig = await openRig({ way: "local" });
  rig.script.verified = { reward: 0.5, _ng_judge_calls: 3, ng_perf: {}, kept: [1] };
  const { result } = await rig.run();
  expect(result).toMatchObject({ reward: 0.5, kept: [1] });
  expect(Object.keys(result as object).filter((key) => /^_ng_|^ng_perf$/.test(key))).toEqual([]);
});

test("a long reason is cut to its limit", async () => {
  await using rig = await openRig({ way: "local" });
  rig.script.behaviour.work = () => {
    throw new Error("x".repeat(10_000));
  };
  expect((await rig.run()).failure).toMatchObject({ failure_reason: expect.stringMatching(/^.{1,2000}$/s) });
});

const MCP = { server_name: "resources", url_path: "/mcp", transport: "http", headers: { "X-Session": "token" } };

test("the agent is let to what the configuration names: tools by HTTP, by MCP, and the sandbox of the seed", async () => {
  await using rig = await openRig({ config: { resources_tool_transports: ["direct_http", "mcp"] } });
  rig.script.seeded = { resources_tools: MCP, sandbox_access: { kind: "remote", id: "sb-1" } };
  expect((await rig.run()).failure).toBeNull();
  const base = rig.url("resources");
  const cookies = { RigResources___resources: expect.any(String) };
  const connection = { transport: "streamable_http", url: `${base}/mcp`, headers: MCP.headers };
  expect(rig.script.asked).toMatchObject({
    episode_id: { rollout_id: "r1", attempt: 1 },
    task_id: { taskset: "t", task_id: "7" },
    tool_accesses: [
      { kind: "direct_http", name: "resources.direct_http", required: false, base_url: `${base}/`, headers: {}, cookies },
      { kind: "mcp", name: "resources.mcp", required: false, connection },
    ],
    sandbox_access: { kind: "remote", id: "sb-1" },
  });
});

test("a server that does not speak MCP cannot be asked to", async () => {
  await using rig = await openRig({ config: { resources_tool_transports: ["mcp"] } });
  expect((await rig.run()).failure).toMatchObject({
    stage: "seed",
    terminal: true,
    failure_reason: expect.stringContaining("expose_tools_over_mcp"),
  });
  expect([...rig.script.open]).toEqual([]);
});

test.each([
  [{ token_id_capture: { enabled: true, all_agents: true } }, "/ng-rollout/r1-a1/training-token-capture"],
  [{ token_id_capture: { enabled: true } }, "/ng-rollout/r1-a1"],
  [{ token_id_capture: { all_agents: true } }, "/ng-rollout/r1-a1"],
])("with %j the agent is asked under %s", async (settings, prefix) => {
  await using rig = await openRig({ way: "local", settings });
  expect((await rig.run()).result).toMatchObject({ response: { output: [{ content: [{ text: prefix }] }] } });
});

const ROW = { responses_create_params: { input: "go" }, _ng_task_index: 3, _ng_rollout_index: 1, note: "kept" };

test("flat rows: the verifier's answer, the class of a judge that failed, or an environment server's failure", async () => {
  await using rig = await openRig({ kind: "single_agent_turn_legacy", way: "local" });
  expect(await rig.run(undefined, ROW)).toMatchObject({
    reward: 1,
    agent_ref: { name: "agent" },
    response: { output: [{ content: [{ text: "/ng-rollout/3-1" }] }] },
  });
  rig.script.verified = { reward: 0, _ng_failure_class: "judge_failed" };
  expect(await rig.run(undefined, { ...ROW, _ng_rollout_index: 2 })).toMatchObject({ _ng_failure_class: "judge_failed" });
  rig.script.behaviour.verify = () => {
    throw new Error("no verdict");
  };
  expect(await rig.run(undefined, { ...ROW, _ng_rollout_index: 3, _ng_attempt_index: 2 })).toEqual({
    _ng_failure_class: "environment_server_failed",
    _ng_failure_terminal: false,
    _ng_failure_message: expect.stringContaining("no verdict"),
    _ng_failure_stage: "verification",
    _ng_failure_partial_response: expect.objectContaining({ id: "resp_1" }),
    agent_ref: { name: "agent" },
  });
  expect([...rig.script.open]).toEqual([]);
});

test("a relay takes an episode for an agent that knows rows", async () => {
  await using rig = await openRig({ kind: "legacy_agent", way: "local" });
  rig.script.ran = (row) => ({ reward: 1, _ng_task_index: 0, ng_trajectory: {}, row });
  const { responses_create_params, ...rest } = (await rig.run()).result as Record<string, Record<string, unknown>>;
  expect([responses_create_params, rest]).toEqual([
    undefined,
    { reward: 1, row: { responses_create_params: { input: "go" }, note: "kept", _ng_rollout_id: "r1", _ng_attempt_index: 1 } },
  ]);
  rig.script.ran = () => {
    throw new Error("no luck");
  };
  expect(await rig.run()).toMatchObject({
    episode_id: { rollout_id: "r1", attempt: 1 },
    result: null,
    failure: { stage: "agent", terminal: false, failure_reason: expect.stringContaining("no luck") },
  });
  rig.script.ran = () => ({ reward: 0, _ng_failure_class: "kill_shaped", _ng_failure_terminal: true });
  expect((await rig.run()).failure).toMatchObject({ failure_reason: "kill_shaped", terminal: true });
  const bad = await rig.client.call("environment", { kind: "run", path: "/run", body: { ...EPISODE, more: 1 } });
  expect(bad.status).toBe(422);
});

test("who asks for something else, or the wrong way", async () => {
  await using rig = await openRig({ way: "local" });
  const ask = async (method: "GET" | "POST", path: string): Promise<number> =>
    (await rig.client.call("environment", { kind: "control", method, path, body: method === "POST" ? {} : undefined })).status;
  expect([await ask("GET", "/health"), await ask("GET", "/run"), await ask("POST", "/reset")]).toEqual([200, 405, 404]);
  const empty = await rig.client.call("environment", { kind: "run", path: "/run" });
  expect([empty.status, empty.setCookies]).toEqual([422, []]);
});

test("metrics are the resources server's, asked for through the agent", async () => {
  await using rig = await openRig({ way: "local" });
  const rows = [{ reward: 1, _ng_task_index: 0, _ng_rollout_index: 0 }];
  const reply = await rig.client.call("environment", { kind: "control", path: "/aggregate_metrics", body: { verify_responses: rows } });
  expect(reply.status).toBe(200);
  expect(reply.json()).toMatchObject({ agent_metrics: { "mean/reward": 1 } });
});

const AGENT = { agent_server: { name: "a", type: "responses_api_agents" } };
const TURN = { ...AGENT, resources_server: { name: "r", type: "resources_servers" }, cleanup_timeout_seconds: 1, entrypoint: "app.py" };

test.each<[string, Record<string, unknown>, string | undefined]>([
  ["single_agent_turn", TURN, undefined],
  ["single_agent_turn", { ...TURN, "x-mine": 1 }, undefined],
  ["single_agent_turn", { ...TURN, max_concurent_episodes: 1 }, "max_concurent_episodes"],
  ["single_agent_turn", { ...TURN, cleanup_timeout_seconds: 0 }, "cleanup_timeout_seconds"],
  ["single_agent_turn", { ...TURN, cleanup_timeout_seconds: undefined }, "cleanup_timeout_seconds"],
  ["single_agent_turn", { ...TURN, max_concurrent_episodes: 1 }, "queue_timeout_seconds"],
  ["single_agent_turn", { ...TURN, resources_tool_transports: ["smoke"] }, "resources_tool_transports"],
  ["single_agent_turn_legacy", { ...TURN, resources_server: undefined }, "resources_server"],
  ["legacy_agent", { ...AGENT, resources_server: TURN.resources_server }, "resources_server"],
  ["legacy_agent", AGENT, undefined],
])("%s with the block %j", (kind, block, wrong) => {
  const { error } = environmentKind(kind).configSchema.safeParse(block);
  if (wrong === undefined) expect(error).toBeUndefined();
  else expect(JSON.stringify(error?.issues)).toContain(wrong);
});

test("limits of a relay limit nothing, and it says so", async () => {
  const lines: string[] = [];
  const log = toLog((line) => void lines.push(line));
  await using rig = await openRig({ way: "local" });
  environmentKind("legacy_agent").create({
    name: "e",
    config: { ...AGENT, max_concurrent_episodes: 3, default_episode_timeout_seconds: 5 },
    client: rig.client,
    log,
  });
  expect(lines).toEqual(["legacy_agent only hands calls on: max_concurrent_episodes, default_episode_timeout_seconds have no effect"]);
});

test("a kind that there is not is told with those there are", () => {
  expect(() => environmentKind("nemo_user_sim")).toThrow(/simulated user.*single_agent_turn/);
  expect(() => environmentKind("constructor")).toThrow(/legacy_agent, single_agent_turn, single_agent_turn_legacy/);
});
