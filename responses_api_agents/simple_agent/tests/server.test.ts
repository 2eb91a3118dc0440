import { createServer } from "node:http";
import { failureFacts, failureHeaders, type Reply } from "@ng-gym/core/http";
import { type FakeUpstream, plainResponse, type Step, startFakeUpstream, startTestServers, type TestServers } from "@ng-gym/testing";
import { afterEach, describe, expect, test } from "vitest";

const CONFIGS = [
  "resources_servers/example_single_tool_call/configs/example_single_tool_call.yaml",
  "responses_api_models/openai_model/configs/openai_model.yaml",
];
const AGENT = "example_single_tool_call_simple_agent";
const TOOLS = [
  { type: "function", name: "get_weather", parameters: { type: "object", properties: { city: { type: "string" } } }, strict: null },
];
const ROW = { responses_create_params: { input: "How is the weather in Bergen?", tools: TOOLS }, kept: { a: [1, null] } };

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

async function serve(steps: Step[], overrides: string[] = []): Promise<{ upstream: FakeUpstream; server: TestServers }> {
  const upstream = await startFakeUpstream({ scripts: { "/v1/responses": steps } });
  open.push(upstream);
  const keys = [`+policy_base_url=${upstream.url}`, "+policy_api_key=key-1", "+policy_model_name=policy-x"];
  const server = await startTestServers({
    configPaths: CONFIGS,
    overrides: [...keys, ...overrides.map((override) => `++${AGENT}.responses_api_agents.simple_agent.${override}`)],
  });
  open.push(server);
  return { upstream, server };
}

function answer(...output: object[]): Step {
  return {
    json: plainResponse(output, { id: "resp_1", status: "completed" }),
  };
}
const say = (text: string): object => ({
  type: "message",
  id: "m",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [] }],
});
const call = (name: string, args: string): object => ({ type: "function_call", id: "fc_1", call_id: "c1", name, arguments: args });

const run = (server: TestServers, row: object = ROW): Promise<Reply> => server.call(AGENT, "/run", row);

interface Rollout {
  reward: number;
  response: { output: { type: string; output?: string }[] };
  [key: string]: unknown;
}
const rolloutOf = (reply: Reply): Rollout => reply.json() as Rollout;
const toolOutput = (reply: Reply): string | undefined =>
  rolloutOf(reply).response.output.find(({ type }) => type === "function_call_output")?.output;

describe("a rollout", () => {
  test("model, tool, model, verification", async () => {
    const { upstream, server } = await serve([answer(call("get_weather", '{"city":"Bergen"}')), answer(say("Cold."))]);
    const reply = await run(server);
    expect(reply.status).toBe(200);
    expect(rolloutOf(reply)).toMatchObject({ reward: 1, mask_sample: false, failure_kind: null });
    expect(rolloutOf(reply).response.output.map(({ type }) => type)).toEqual(["function_call", "function_call_output", "message"]);
    expect(upstream.requests.map(({ body }) => (body as { input: unknown[] }).input.length)).toEqual([1, 3]);
  });

  test.each([
    ["arguments that the tool refuses", "get_weather", '{"town":"X"}', /"loc":\["body","city"\]/],
    ["arguments that are no JSON", "get_weather", '{"city": "Ber', /Invalid tool call arguments/],
    ["a tool that does not exist", "get_tide", "{}", /"Not Found"/],
    ["a route that is no tool", "verify", "{}", /"Not Found"/],
    ["a way out of the server", "../verify", "{}", /"Not Found"/],
    ["a long integer where a text is wanted", "get_weather", '{"city":123456789012345678901234567890}', /"loc":\["body","city"\]/],
  ])("%s: the model gets to read it", async (_name, tool, args, expected) => {
    const { server } = await serve([answer(call(tool, args)), answer(say("done"))]);
    const reply = await run(server);
    expect(reply.status).toBe(200);
    expect(toolOutput(reply)).toMatch(expected);
  });

  test("a lone surrogate in the arguments is replaced", async () => {
    const { server } = await serve([answer(call("get_weather", '{"city":"\\ud800"}')), answer(say("done"))]);
    expect(toolOutput(await run(server))).toContain("The weather in \ufffd is cold.");
  });

  test("the rollout id of the row travels to the model server, not to the endpoint", async () => {
    const { upstream, server } = await serve([answer(say("hi"))]);
    const reply = await run(server, { ...ROW, _ng_task_index: 3, _ng_rollout_index: 1 });
    expect(reply.status).toBe(200);
    expect(upstream.requests[0]?.headers["x-ng-rollout-id"]).toBeUndefined();
  });

  test("max_steps", async () => {
    const { upstream, server } = await serve([answer(call("get_weather", '{"city":"X"}'))], ["max_steps=3"]);
    expect((await run(server)).status).toBe(200);
    expect(upstream.requests).toHaveLength(3);
  });

  test("skip_verification gives the configured reward and says so", async () => {
    const { server } = await serve([answer(say("hi"))], ["skip_verification=true", "skip_verification_reward=0.25"]);
    expect(rolloutOf(await run(server))).toMatchObject({
      reward: 0.25,
      verification_skipped: true,
      kept: { a: [1, null] },
      mask_sample: false,
    });
    const metrics = await server.call(AGENT, "/aggregate_metrics", { verify_responses: [] });
    expect(metrics.json()).toMatchObject({ group_level_metrics: [], agent_metrics: {} });
  });
});

describe("what ends a rollout without a reward", () => {
  test("the endpoint's failure, named through every hop", async () => {
    const { server } = await serve([{ status: 400, json: { error: { message: "bad thing" } } }]);
    const reply = await run(server);
    expect(reply.status).toBe(500);
    expect(reply.json()).toContain(`Hit an exception in SimpleAgent___${AGENT} calling an inner server: `);
    expect(reply.json()).toContain("bad thing");
    expect(failureFacts(reply.headers)).toMatchObject({
      failure_kind: "policy_model:upstream_status",
      boundary: "policy_model",
      status: 400,
    });
  });

  test("no resources server", async () => {
    const { server } = await serve([answer(say("hi"))], ["resources_server=null"]);
    const reply = await run(server);
    expect(reply.status).toBe(500);
    expect(reply.json()).toContain("resources_server");
    expect((await server.call(AGENT, "/v1/responses", { input: "hello" })).status).toBe(200);
  });

  test("execute_tools off outside a session", async () => {
    const { upstream, server } = await serve([answer(say("hi"))], ["execute_tools=false"]);
    expect((await run(server)).json()).toContain("execute_tools");
    expect((await server.call(AGENT, "/v1/responses", { input: "hello" })).status).toBe(500);
    expect(upstream.requests).toHaveLength(0);
  });

  test("the caller leaves: the call at the endpoint ends too", async () => {
    const { upstream, server } = await serve([{ hang: true }]);
    const leave = new AbortController();
    const rollout = server.client.call(AGENT, { kind: "run", path: "/run", body: ROW, signal: leave.signal });
    await upstream.arrived(1);
    leave.abort();
    await expect(rollout).rejects.toMatchObject({ code: "NG_ERR_CANCELLED" });
    await upstream.settled();
    expect(upstream.stats.cancelled).toBe(1);
  });
});

describe("a Response that is no answer", () => {
  const told = (fields: object, ...output: object[]): Step => ({ json: { ...(answer(...output).json as object), ...fields } });
  const SERVER_ERROR = { code: "server_error", message: "the engine is gone" };

  test.each([
    ["failed", { status: "failed", error: SERVER_ERROR }, [say("I think")], "server_error: the engine is gone"],
    ["failed without output", { status: "failed", error: SERVER_ERROR }, [], "server_error: the engine is gone"],
    ["an error beside a complete text", { error: SERVER_ERROR }, [say("Cold.")], "holds an error"],
    ["cancelled", { status: "cancelled" }, [say("Col")], "status is cancelled"],
    ["not begun", { status: "queued" }, [], "status is queued"],
    ["not done", { status: "in_progress" }, [], "status is in_progress"],
  ])("%s: a failure of the model server, never a reward", async (_name, fields, output, said) => {
    const { upstream, server } = await serve([told(fields, ...output)]);
    const reply = await run(server);
    expect(reply.status).toBe(500);
    expect(failureFacts(reply.headers)).toMatchObject({
      failure_kind: "policy_model:bad_response",
      boundary: "policy_model",
      message: expect.stringContaining(said),
    });
    expect(upstream.requests).toHaveLength(1);
  });

  test("one that a limit cut off is an answer", async () => {
    const { server } = await serve([told({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }, say("Col"))]);
    expect((await run(server)).status).toBe(200);
  });
});

describe("a tool whose own server says that something else broke", () => {
  const facts = (failure_kind: string, boundary: string): Record<string, string> =>
    failureHeaders({ failure_kind, boundary, message: "could not be had" });

  /** Plays the resources server: a tool that answers this, and a verifier that would give 1. */
  async function withTool(status: number, headers: Record<string, string>): Promise<{ server: TestServers; called: string[] }> {
    const called: string[] = [];
    const tools = createServer((request, response) => {
      called.push(request.url ?? "");
      const chunks: Buffer[] = [];
      request.on("data", (chunk) => chunks.push(chunk));
      request.once("end", () => {
        if (request.url === "/get_weather") response.writeHead(status, headers).end('"no weather"');
        else if (request.url === "/verify") response.end(JSON.stringify({ ...JSON.parse(Buffer.concat(chunks).toString()), reward: 1 }));
        else response.end("{}");
      });
    });
    await new Promise<void>((resolve) => tools.listen(0, "127.0.0.1", resolve));
    open.push(tools);
    const upstream = await startFakeUpstream({
      scripts: { "/v1/responses": [answer(call("get_weather", '{"city":"Bergen"}')), answer(say("Cold."))] },
    });
    open.push(upstream);
    const { port } = tools.address() as { port: number };
    const server = await startTestServers({
      configPaths: CONFIGS,
      overrides: [`+policy_base_url=${upstream.url}`, "+policy_api_key=key-1", "+policy_model_name=policy-x"],
      addresses: { example_single_tool_call: `http://127.0.0.1:${port}` },
    });
    open.push(server);
    return { server, called };
  }

  test.each([
    ["a service behind it", 500, "transport_unreachable", "geocoder"],
    ["its sandbox", 500, "provider_oom_killed", "sandbox"],
    ["its queue", 429, "example_single_tool_call:overloaded", "example_single_tool_call"],
    ["its session", 410, "session_lost", "example_single_tool_call"],
  ])("%s: the rollout fails, nothing is verified", async (_what, status, kind, boundary) => {
    const { server, called } = await withTool(status, facts(kind, boundary));
    const reply = await run(server);
    expect(reply.status).toBe(500);
    expect(failureFacts(reply.headers)).toMatchObject({ failure_kind: kind, boundary });
    expect(called).not.toContain("/verify");
  });

  test.each([
    ["what the tool throws by itself", 500, facts("example_single_tool_call:internal_error", "example_single_tool_call")],
    ["a failure without a word", 500, {}],
    ["a refusal of the arguments", 422, {}],
  ])("%s is the model's to read", async (_what, status, headers) => {
    const { server, called } = await withTool(status, headers);
    const reply = await run(server);
    expect([reply.status, rolloutOf(reply).reward]).toEqual([200, 1]);
    expect(called).toContain("/verify");
  });
});
