import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { CookieJar, type Reply } from "@ng-gym/core/http";
import { type FakeUpstream, plainResponse, type Step, startFakeUpstream, startTestServers, type TestServers } from "@ng-gym/testing";
import { afterEach, describe, expect, test } from "vitest";

const CONFIGS = [
  "resources_servers/example_session_state_mgmt/configs/example_session_state_mgmt.yaml",
  "responses_api_models/openai_model/configs/openai_model.yaml",
];
const SERVER = "example_session_state_mgmt";
const AGENT = "example_session_state_mgmt_simple_agent";
const EPISODE = { episode_id: { rollout_id: "r1", attempt: 0 }, task_id: { taskset: "t", task_id: "1" } };
const CLOSE = { agent_session_id: "s", episode_id: EPISODE.episode_id };

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

async function serve(...steps: Step[]): Promise<{ upstream: FakeUpstream; servers: TestServers }> {
  const upstream = await startFakeUpstream({ scripts: { "/v1/responses": steps } });
  open.push(upstream);
  const keys = [`+policy_base_url=${upstream.url}`, "+policy_api_key=key-1", "+policy_model_name=policy-x"];
  const servers = await startTestServers({ configPaths: CONFIGS, overrides: keys });
  open.push(servers);
  return { upstream, servers };
}

/** A tool server of another make: answers each call with the next status, 0 drops the connection. */
async function foreignTools(...statuses: number[]): Promise<{ url: string; calls: { path: string; header: string; cookie: string }[] }> {
  const calls: { path: string; header: string; cookie: string }[] = [];
  const server = createServer((request, response) => {
    calls.push({ path: request.url ?? "", header: String(request.headers["x-grant"]), cookie: request.headers.cookie ?? "" });
    const status = statuses[calls.length - 1] ?? 200;
    if (status === 0) return request.socket.destroy();
    response.writeHead(status, { "set-cookie": [`turn=${calls.length}; Path=/`, 'odd="a b"; Path=/'] }).end(`said ${status}`);
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  open.push({
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/base/`, calls };
}

const answer = (...output: object[]): Step => ({
  json: plainResponse(output, { id: "resp_1", status: "completed" }),
});
const DONE = answer({
  type: "message",
  id: "m",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "done", annotations: [] }],
});
const call = (name: string, args: string): Step => answer({ type: "function_call", id: "fc_1", call_id: "c1", name, arguments: args });

function callerOf(servers: TestServers) {
  const cookies = new CookieJar();
  const post = (path: string, body: unknown): Promise<Reply> => servers.call(AGENT, path, body, { cookies });
  return {
    seed: (grants: object) => post("/v1/agent_sessions", { agent_session_id: "s", ...EPISODE, ...grants }),
    work: () => post("/v1/responses", { input: "go" }),
    close: async () => (await post("/v1/agent_sessions/close", CLOSE)).json() as { resources_cookies: Record<string, string> | null },
  };
}
const outputs = (reply: Reply): (string | undefined)[] =>
  (reply.json() as { output: { type: string; output?: string }[] }).output
    .filter(({ type }) => type === "function_call_output")
    .map(({ output }) => output);

describe("tools of a session", () => {
  test("are those of the seeded session: the grant's cookies say which", async () => {
    const { servers } = await serve(call("increment_counter", '{"count":4}'), call("get_counter_value", "{}"), DONE);
    const seeded = new CookieJar();
    await servers.call(SERVER, "/seed_session", { initial_count: 3 }, { cookies: seeded });
    const cookies = Object.fromEntries(seeded.names().map((name) => [name, seeded.get(name)]));
    const caller = callerOf(servers);
    const base_url = `${servers.urls[SERVER]}/`;
    await caller.seed({ tool_accesses: [{ kind: "direct_http", name: `${SERVER}.direct_http`, base_url, cookies }] });
    expect(outputs(await caller.work())).toEqual(['{"success":true}', '{"count":7}']);
    expect((await caller.close()).resources_cookies).toEqual(cookies);
  });

  test("may be elsewhere: below the granted address, with its headers, each answer read by the model, cookies brought back", async () => {
    const { servers } = await serve(call("do it", "{}"), call("again", "{}"), DONE);
    const tools = await foreignTools(500, 200);
    const caller = callerOf(servers);
    const grant = { kind: "direct_http", name: "far", base_url: tools.url, cookies: { sid: "9" }, headers: { "X-Grant": "g" } };
    expect((await caller.seed({ tool_accesses: [grant] })).status).toBe(200);
    expect(outputs(await caller.work())).toEqual(["said 500", "said 200"]);
    expect(tools.calls).toEqual([
      { path: "/base/do%20it", header: "g", cookie: "sid=9" },
      { path: "/base/again", header: "g", cookie: 'odd="a b"; sid=9; turn=1' },
    ]);
    expect((await caller.close()).resources_cookies).toEqual({ sid: "9", turn: "2", odd: "a b" });
  });

  test("a connection that drops is tried again", async () => {
    const { servers } = await serve(call("do_it", "{}"), DONE);
    const tools = await foreignTools(0, 200);
    const caller = callerOf(servers);
    await caller.seed({ tool_accesses: [{ kind: "direct_http", name: "far", base_url: tools.url }] });
    expect(outputs(await caller.work())).toEqual(["said 200"]);
  });

  test("a name that is no tool is answered to the model, and calls nobody", async () => {
    const { servers } = await serve(call("../verify", "{}"), DONE);
    const tools = await foreignTools();
    const caller = callerOf(servers);
    await caller.seed({ tool_accesses: [{ kind: "direct_http", name: "far", base_url: tools.url }] });
    expect(outputs(await caller.work())).toEqual(['{"detail":"Not Found"}']);
    expect(tools.calls).toEqual([]);
  });
});

test.each([
  ["a sandbox", { sandbox_access: { url: "http://127.0.0.1:1" } }, /sandbox/],
  ["tools over MCP alone", { tool_accesses: [{ kind: "mcp", name: "m", connection: { url: "http://127.0.0.1:1/mcp" } }] }, /MCP.*\(m\)/],
])("a session with %s is refused with the reason", async (_name, grants, reason) => {
  const { servers } = await serve();
  const reply = await callerOf(servers).seed(grants);
  expect([reply.status, reply.json()]).toEqual([500, expect.stringMatching(reason)]);
});
