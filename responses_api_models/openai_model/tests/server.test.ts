import { CookieJar, failureFacts, type Reply } from "@ng-gym/core/http";
import { type FakeUpstream, startFakeUpstream, startTestServers, type TestServers } from "@ng-gym/testing";
import { afterEach, describe, expect, test } from "vitest";

const CONFIG = "responses_api_models/openai_model/configs/openai_model.yaml";
const BLOCK = "policy_model.responses_api_models.openai_model";

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

async function serve(
  overrides: string[] = [],
  topLevel: Record<string, unknown> = {},
): Promise<{ upstream: FakeUpstream; server: TestServers }> {
  const upstream = await startFakeUpstream();
  open.push(upstream);
  const keys = [`+policy_base_url=${upstream.url}`, "+policy_api_key=key-1", "+policy_model_name=policy-x"];
  const server = await startTestServers({
    configPaths: [CONFIG],
    topLevel,
    overrides: [...keys, ...overrides.map((override) => `++${BLOCK}.${override}`)],
  });
  open.push(server);
  return { upstream, server };
}

const ask = (server: TestServers, body: unknown = { input: "hello" }): Promise<Reply> => server.call("policy_model", "/v1/responses", body);
const inputOf = (upstream: FakeUpstream): unknown => (upstream.requests[0]?.body as { input?: unknown } | undefined)?.input;
const messageOf = (reply: Reply): string => failureFacts(reply.headers)?.message ?? "";

describe("what is sent", () => {
  test("the request as it came, the model name on top, extras below", async () => {
    const { upstream, server } = await serve([
      "extra_body={temperature: 0.25, seed: 5}",
      "openai_default_headers={X-Team: t1, Authorization: Basic no}",
    ]);
    const reply = await ask(server, { input: "hello", temperature: null, model: "mine" });
    expect(reply.status).toBe(200);
    const [request] = upstream.requests;
    expect(request?.path).toBe("/v1/responses");
    expect(request?.body).toEqual({ input: "hello", temperature: null, seed: 5, model: "policy-x" });
    expect(request?.headers).toMatchObject({ authorization: "Bearer key-1", "x-team": "t1" });
  });

  test("the chat route is passed on to the chat route", async () => {
    const { upstream, server } = await serve();
    const reply = await server.call("policy_model", "/v1/chat/completions", { messages: [{ role: "user", content: "hello" }] });
    expect(reply.json()).toMatchObject({ object: "chat.completion" });
    expect(upstream.requests[0]).toMatchObject({ path: "/v1/chat/completions", body: { model: "policy-x" } });
  });

  test("several endpoints: a session stays with the one that its id gives", async () => {
    const endpoints = await Promise.all([startFakeUpstream(), startFakeUpstream(), startFakeUpstream()]);
    open.push(...endpoints);
    const server = await startTestServers({
      configPaths: [CONFIG],
      topLevel: { policy_base_url: endpoints.map(({ url }) => url) },
      overrides: ["+policy_api_key=k", "+policy_model_name=m"],
    });
    open.push(server);
    for (let session = 0; session < 12; session++) {
      const cookies = new CookieJar();
      for (let turn = 0; turn < 3; turn++) await server.call("policy_model", "/v1/responses", { input: `session ${session}` }, { cookies });
    }
    const asked = endpoints.map(({ requests }) => requests.map(({ body }) => (body as { input: string }).input));
    expect(asked.flat()).toHaveLength(36);
    expect(new Set(asked.flat()).size).toBe(12);
    for (const inputs of asked) expect(inputs).toHaveLength(3 * new Set(inputs).size);
    expect(asked.filter((inputs) => inputs.length > 0).length).toBeGreaterThan(1);
  });

  test("a base URL may end in a slash", async () => {
    const upstream = await startFakeUpstream();
    open.push(upstream);
    const server = await startTestServers({
      configPaths: [CONFIG],
      overrides: [`+policy_base_url=${upstream.url}/`, "+policy_api_key=k", "+policy_model_name=m"],
    });
    open.push(server);
    await ask(server);
    expect(upstream.requests[0]?.path).toBe("/v1/responses");
  });

  test("reasoning items are left out only where asked", async () => {
    const input = [
      { role: "user", content: "x" },
      { type: "reasoning", id: "r", summary: [] },
    ];
    const kept = await serve();
    await ask(kept.server, { input });
    expect(inputOf(kept.upstream)).toHaveLength(2);
    const dropped = await serve(["drop_input_reasoning_items=true"]);
    await ask(dropped.server, { input });
    expect(inputOf(dropped.upstream)).toEqual([{ role: "user", content: "x" }]);
  });
});

describe("what goes wrong", () => {
  test("the endpoint's own body is inside the answer; the facts name the hop", async () => {
    const { upstream, server } = await serve();
    upstream.script("/v1/responses", [{ status: 400, json: { error: { message: "bad thing" } } }]);
    const reply = await ask(server);
    expect(reply.status).toBe(500);
    expect(reply.json()).toBe(
      `Hit an exception in SimpleModelServer___policy_model calling an inner server: b'{"error":{"message":"bad thing"}}'`,
    );
    expect(failureFacts(reply.headers)).toMatchObject({
      failure_kind: "policy_model:upstream_status",
      boundary: "policy_model",
      status: 400,
    });
    expect(upstream.requests).toHaveLength(1);
  });

  test.each([404, 405])("%i on /responses says what to do about a chat-only endpoint", async (status) => {
    const { upstream, server } = await serve();
    upstream.script("/v1/responses", [{ status, json: { detail: "Not Found" } }]);
    const reply = await ask(server);
    expect(reply.json()).toContain(`b'{"detail":"Not Found"}'`);
    expect(messageOf(reply)).toMatch(/Responses API.*openai_base_url/);
    expect(upstream.requests).toHaveLength(1);
  });

  test.each([
    ["text", { text: "<html>" }],
    ["a list", { json: [1] }],
    ["a Response without its keys", { json: { id: "r", object: "response" } }],
  ])("%s is no answer", async (_name, step) => {
    const { upstream, server } = await serve();
    upstream.script("/v1/responses", [step]);
    const reply = await ask(server);
    expect(reply.status).toBe(500);
    expect(failureFacts(reply.headers)?.failure_kind).toBe("policy_model:bad_response");
  });

  test("max_http_attempts 1 is one request", async () => {
    const { upstream, server } = await serve(["max_http_attempts=1"]);
    upstream.script("/v1/responses", [{ status: 500 }]);
    expect((await ask(server)).status).toBe(500);
    expect(upstream.requests).toHaveLength(1);
  });

  test("a refused key stops all routes at once, and says since when", async () => {
    const { upstream, server } = await serve();
    upstream.script("/v1/responses", [{ status: 401, json: { error: { code: "invalid_api_key" } } }]);
    const first = await ask(server);
    const second = await ask(server);
    const chat = await server.call("policy_model", "/v1/chat/completions", { messages: [{ role: "user", content: "x" }] });
    expect(second.json()).toBe(first.json());
    expect(chat.json()).toBe(first.json());
    expect(upstream.requests).toHaveLength(1);
    expect(messageOf(second)).toMatch(/refused at \d{4}-.*tried again at/);
  });

  test("a spent quota is not retried", async () => {
    const { upstream, server } = await serve();
    upstream.script("/v1/responses", [{ status: 429, json: { error: { code: "insufficient_quota" } } }]);
    await ask(server);
    await ask(server);
    expect(upstream.requests).toHaveLength(1);
  });
});

describe("bounds of the client, set by top-level keys", () => {
  test("http_max_connections_per_origin", async () => {
    const { upstream, server } = await serve([], { http_max_connections_per_origin: 3 });
    upstream.hold();
    const calls = Array.from({ length: 9 }, () => ask(server));
    await upstream.arrived(3);
    upstream.release();
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(9).fill(200));
    expect(upstream.stats).toMatchObject({ maxOpen: 3, requests: 9 });
  });

  test("http_model_timeout_ms, named in the error", async () => {
    const { upstream, server } = await serve([], { http_model_timeout_ms: 50 });
    upstream.script("/v1/responses", [{ hang: true }]);
    const reply = await ask(server);
    expect(failureFacts(reply.headers)).toMatchObject({ failure_kind: "transport_timeout", boundary: "policy_model" });
    expect(messageOf(reply)).toContain("model time-out of 0.05 s");
  });

  test("http_retry_max_attempts; the server's own max_http_attempts wins", async () => {
    const { upstream, server } = await serve([], { http_retry_max_attempts: 1 });
    upstream.script("/v1/responses", [{ status: 500 }, {}]);
    expect((await ask(server)).status).toBe(500);
    expect(upstream.requests).toHaveLength(1);
    const other = await serve(["max_http_attempts=2"], { http_retry_max_attempts: 1 });
    other.upstream.script("/v1/responses", [{ status: 500 }, { status: 500 }, {}]);
    await ask(other.server);
    expect(other.upstream.requests).toHaveLength(2);
  });
});

describe("how many at once", () => {
  test("no more than max_concurrent_requests; the others wait their turn", async () => {
    const { upstream, server } = await serve(["max_concurrent_requests=2"]);
    upstream.hold();
    const calls = Array.from({ length: 6 }, () => ask(server));
    await upstream.arrived(2);
    upstream.release();
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(upstream.stats.maxOpen).toBe(2);
  });

  test("adaptive: few at first, more with each answer, fewer after a refusal", async () => {
    const { upstream, server } = await serve(["max_concurrent_requests=adaptive"]);
    upstream.hold();
    const calls = Array.from({ length: 100 }, () => ask(server));
    await upstream.arrived(16);
    // Its request comes behind the others on the same connection, so that they are all in the server by now.
    await server.call("policy_model", "/", undefined, { method: "GET" });
    expect(upstream.stats.open).toBe(16);
    upstream.release();
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(100).fill(200));
    expect(upstream.stats.requests).toBe(100);
    expect(upstream.stats.errors).toBe(0);
  });

  test("adaptive: after a refusal nothing is sent before the time that it named, and every call succeeds", async () => {
    const { upstream, server } = await serve(["max_concurrent_requests=adaptive"]);
    const refusal = { status: 429, json: { error: { code: "rate_limit_exceeded" } }, headers: [["retry-after", "1"]] as const };
    upstream.script("/v1/responses", [refusal]);
    upstream.hold();
    const calls = Array.from({ length: 40 }, () => ask(server));
    await upstream.arrived(16);
    upstream.release();
    await upstream.settled();
    upstream.script("/v1/responses", []);
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(40).fill(200));
    // One episode: those 16 were under way together. All others waited, and none of the 40 was refused twice.
    expect(upstream.stats).toMatchObject({ requests: 56, errors: 16 });
    const pause = (upstream.requests[16]?.at ?? 0) - (upstream.requests[15]?.at ?? 0);
    expect(pause).toBeGreaterThanOrEqual(1_000);
  });

  test.each(["0", "-1", "some"])("%s is refused at load", async (value) => {
    await expect(serve([`max_concurrent_requests=${value}`])).rejects.toMatchObject({
      code: "NG_ERR_CONFIG",
      message: expect.stringContaining("max_concurrent_requests"),
    });
  });

  test("a caller that leaves ends the call at the endpoint", async () => {
    const { upstream, server } = await serve();
    upstream.hold();
    const leave = new AbortController();
    const call = server.client.call("policy_model", { kind: "model", path: "/v1/responses", body: { input: "x" }, signal: leave.signal });
    await upstream.arrived(1);
    leave.abort();
    await expect(call).rejects.toMatchObject({ code: "NG_ERR_CANCELLED" });
    await upstream.settled();
    expect(upstream.stats.cancelled).toBe(1);
  });

  test.each(["shared", "process"] as const)(
    "a caller of an agent that leaves ends the call at the endpoint: %s hosting",
    { timeout: 60_000 },
    async (hosting) => {
      const upstream = await startFakeUpstream();
      open.push(upstream);
      const server = await startTestServers({
        configPaths: ["resources_servers/example_single_tool_call/configs/example_single_tool_call.yaml", CONFIG],
        hosting,
        overrides: [`+policy_base_url=${upstream.url}`, "+policy_api_key=k", "+policy_model_name=m"],
      });
      open.push(server);
      upstream.hold();
      const leave = new AbortController();
      const body = { responses_create_params: { input: "hello" } };
      const call = server.client.call("example_single_tool_call_simple_agent", { kind: "run", path: "/run", body, signal: leave.signal });
      await upstream.arrived(1);
      leave.abort();
      const left = performance.now();
      await expect(call).rejects.toMatchObject({ code: "NG_ERR_CANCELLED" });
      await upstream.settled();
      expect(performance.now() - left).toBeLessThan(1_000);
      expect(upstream.requests.map(({ outcome }) => outcome)).toEqual(["cancelled"]);
    },
  );

  test("the limit is the endpoint's: it holds too where an agent of the same process calls the model server by its name", async () => {
    const upstream = await startFakeUpstream();
    open.push(upstream);
    const server = await startTestServers({
      configPaths: ["resources_servers/example_single_tool_call/configs/example_single_tool_call.yaml", CONFIG],
      overrides: [`+policy_base_url=${upstream.url}`, "+policy_api_key=k", "+policy_model_name=m", `++${BLOCK}.max_concurrent_requests=2`],
    });
    open.push(server);
    upstream.hold();
    const body = { responses_create_params: { input: "hello" } };
    const calls = Array.from({ length: 6 }, () =>
      server.client.call("example_single_tool_call_simple_agent", { kind: "run", path: "/run", body }),
    );
    await upstream.arrived(2);
    upstream.release();
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(upstream.stats).toMatchObject({ requests: 6, maxOpen: 2 });
  });

  test("512 callers reach the endpoint at once", async () => {
    const { upstream, server } = await serve();
    upstream.hold();
    const calls = Array.from({ length: 512 }, () => ask(server));
    await upstream.arrived(512);
    expect(upstream.stats.open).toBe(512);
    upstream.release();
    expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([200]));
  });
});
