import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { startFakeUpstream } from "../src/index.ts";

const post = (url: string, body: unknown, init: RequestInit = {}): Promise<Response> =>
  fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), ...init });

describe("the model", () => {
  test("answers both dialects, the same body always the same", async () => {
    await using upstream = await startFakeUpstream({ model: { text: "It is \\boxed{B}." } });
    const chat = await (await post(`${upstream.url}/chat/completions`, { model: "m", messages: [] })).json();
    expect(chat).toMatchObject({
      object: "chat.completion",
      model: "m",
      choices: [{ message: { content: "It is \\boxed{B}." }, finish_reason: "stop" }],
    });
    const ask = async (): Promise<unknown> => (await post(`${upstream.url}/responses`, { input: "hi" })).json();
    const response = await ask();
    expect(response).toMatchObject({ object: "response", status: "completed", output: [{ content: [{ text: "It is \\boxed{B}." }] }] });
    expect(await ask()).toEqual(response);
    expect(upstream.stats).toMatchObject({ requests: 3, byRoute: { "/v1/chat/completions": 1, "/v1/responses": 2 }, open: 0, errors: 0 });
    expect(upstream.requests[0]).toMatchObject({ method: "POST", path: "/v1/chat/completions", body: { model: "m" }, outcome: "answered" });
  });

  test("calls the first tool for as many turns as asked, then answers", async () => {
    await using upstream = await startFakeUpstream({ model: { toolCalls: 2, toolArguments: '{"city":"Oslo"}' } });
    const tools = [{ type: "function", name: "get_weather" }];
    const input: object[] = [{ role: "user", content: "go" }];
    const kinds: string[] = [];
    for (let turn = 0; turn < 3; turn++) {
      const { output } = (await (await post(`${upstream.url}/responses`, { input, tools })).json()) as {
        output: { type: string; call_id?: string }[];
      };
      kinds.push(output[0]?.type ?? "");
      input.push(...output, { type: "function_call_output", call_id: output[0]?.call_id, output: "{}" });
    }
    expect(kinds).toEqual(["function_call", "function_call", "message"]);
    expect(await (await post(`${upstream.url}/responses`, { input: "no tools" })).json()).toMatchObject({ output: [{ type: "message" }] });
    const chat = { messages: [], tools: [{ type: "function", function: { name: "f" } }] };
    expect(await (await post(`${upstream.url}/chat/completions`, chat)).json()).toMatchObject({
      choices: [{ message: { tool_calls: [{ function: { name: "f", arguments: '{"city":"Oslo"}' } }] }, finish_reason: "tool_calls" }],
    });
  });

  test("streams what it would have said", async () => {
    await using upstream = await startFakeUpstream({ model: { text: "one two three" } });
    const chat = await (
      await post(`${upstream.url}/chat/completions`, { messages: [], stream: true, stream_options: { include_usage: true } })
    ).text();
    const chunks = chat.split("\n\n").filter((frame) => frame.startsWith("data: {"));
    expect(chunks.map((frame) => JSON.parse(frame.slice(6)).choices[0]?.delta.content ?? "").join("")).toBe("one two three");
    expect(chat).toContain('"usage"');
    expect(chat.endsWith("data: [DONE]\n\n")).toBe(true);
    const events = await (await post(`${upstream.url}/responses`, { input: "x", stream: true })).text();
    expect(events.split("\n\n").map((frame) => frame.split("\n")[0])).toEqual([
      "event: response.created",
      "event: response.output_item.added",
      ...Array(3).fill("event: response.output_text.delta"),
      "event: response.output_item.done",
      "event: response.completed",
      "",
    ]);
  });

  test("fails every n-th call", async () => {
    await using upstream = await startFakeUpstream({ model: { errorEvery: 2, errorStatus: 503 } });
    const statuses: number[] = [];
    for (let call = 0; call < 4; call++) statuses.push((await post(`${upstream.url}/responses`, { input: "x" })).status);
    expect(statuses).toEqual([200, 503, 200, 503]);
    expect(upstream.stats.errors).toBe(2);
  });
});

describe("scripts", () => {
  test("the steps of a path come in order and the last one repeats, whatever the rollout prefix", async () => {
    await using upstream = await startFakeUpstream({
      scripts: {
        "/v1/responses": [
          { status: 429, json: { a: 1 }, headers: [["Retry-After", "2"]] },
          { b64: "//79", type: "application/octet-stream" },
          { text: "{nope", type: "application/json" },
        ],
      },
    });
    const first = await post(`${upstream.url}/responses`, {});
    expect([first.status, first.headers.get("retry-after"), await first.json()]).toEqual([429, "2", { a: 1 }]);
    const second = await post(`${upstream.origin}/ng-rollout/a-1/training-token-capture/v1/responses`, {});
    expect(new Uint8Array(await second.arrayBuffer())).toEqual(new Uint8Array([255, 254, 253]));
    for (let again = 0; again < 2; again++) expect(await (await post(`${upstream.url}/responses`, {})).text()).toBe("{nope");
    upstream.script("/v1/responses", [{ sse: ["data: 1", "data: 2"] }]);
    expect(await (await post(`${upstream.url}/responses`, {})).text()).toBe("data: 1\n\ndata: 2\n\n");
  });

  test("a path without a script can be unknown", async () => {
    await using upstream = await startFakeUpstream({ unscripted: "not found" });
    expect((await post(`${upstream.url}/responses`, {})).status).toBe(404);
  });

  test.each([
    ["drop", "dropped", "UND_ERR_SOCKET"],
    ["reset", "reset", "ECONNRESET"],
  ] as const)("%s ends the connection without an answer", async (kind, outcome, code) => {
    await using upstream = await startFakeUpstream({ scripts: { "/v1/responses": [{ [kind]: true }, { json: {} }] } });
    await expect(post(`${upstream.url}/responses`, {})).rejects.toMatchObject({ cause: { code } });
    expect((await post(`${upstream.url}/responses`, {})).status).toBe(200);
    expect(upstream.requests.map((request) => request.outcome)).toEqual([outcome, "answered"]);
  });

  test("cut announces more than it sends", async () => {
    await using upstream = await startFakeUpstream({ scripts: { "/v1/responses": [{ text: "abc", cut: true }] } });
    const response = await post(`${upstream.url}/responses`, {});
    expect(response.headers.get("content-length")).toBe("1003");
    await expect(response.text()).rejects.toThrow();
    await upstream.settled();
    expect(upstream.stats.dropped).toBe(1);
  });
});

describe("waiting", () => {
  test("held answers go out at the release, and no earlier", async () => {
    await using upstream = await startFakeUpstream();
    upstream.hold("/v1/responses");
    const held = post(`${upstream.url}/responses`, { input: "x" });
    await upstream.arrived(1);
    expect((await post(`${upstream.url}/chat/completions`, { messages: [] })).status).toBe(200);
    expect(upstream.stats).toMatchObject({ open: 1, maxOpen: 2 });
    upstream.release("/v1/responses");
    expect((await held).status).toBe(200);
    await upstream.settled();
    expect(upstream.stats.open).toBe(0);
  });

  test("a step can wait for the next release", async () => {
    await using upstream = await startFakeUpstream({ scripts: { "/v1/responses": [{ hold: true, json: 1 }] } });
    const answer = post(`${upstream.url}/responses`, {});
    await upstream.arrived(1);
    upstream.release();
    expect(await (await answer).json()).toBe(1);
  });

  test("a caller that leaves is counted, from a held, a hanging and a delayed answer", async () => {
    await using upstream = await startFakeUpstream({ scripts: { "/a": [{ hang: true }], "/b": [{ delay: 600 }] } });
    upstream.hold("/v1/responses");
    const leave = new AbortController();
    const calls = ["/a", "/b", "/v1/responses"].map((path) => post(upstream.origin + path, {}, { signal: leave.signal }));
    await upstream.arrived(3);
    leave.abort();
    for (const call of calls) await expect(call).rejects.toThrow("aborted");
    await Promise.all(upstream.requests.map((request) => request.ended));
    expect(upstream.requests.map((request) => request.outcome)).toEqual(["cancelled", "cancelled", "cancelled"]);
    expect(upstream.stats).toMatchObject({ cancelled: 3, open: 0 });
  });

  test("closing ends held requests and frees the port", async () => {
    const upstream = await startFakeUpstream();
    upstream.hold();
    const held = expect(post(`${upstream.url}/responses`, {})).rejects.toThrow();
    await upstream.arrived(1);
    await upstream.close();
    await held;
    expect(upstream.stats.connections).toBe(0);
    const refused = new Promise((resolve) => connect(upstream.port, upstream.host).once("error", resolve));
    expect(await refused).toMatchObject({ code: "ECONNREFUSED" });
  });
});
