/** One call on a socket: its time limit, how it is cancelled, and what an answer may be. */
import { describe, expect, test } from "vitest";
import { type Call, type ClientLimits, createServerClient, type ServerClient } from "../../src/http/index.ts";
import { fakeClock } from "./fake-clock.ts";
import { type Step, scriptedServer } from "./scripted-server.ts";

const CALL: Call = { kind: "tool", path: "/x", body: {} };

function clientTo(url: string, limits: Partial<ClientLimits> = {}): ServerClient {
  return createServerClient({ addressOf: () => ({ url }), limits, clock: fakeClock() });
}

const echo: Step = ({ path, body }, response) => response.end(JSON.stringify({ path, body }));

describe("time limits", () => {
  test("the error names server, route, limit and its size; the connection is closed; nothing is sent again", async () => {
    await using server = await scriptedServer("silence");
    await using client = clientTo(server.url, { toolTimeoutMs: 50 });
    await expect(client.call("res", CALL)).rejects.toMatchObject({
      code: "NG_ERR_TIMEOUT",
      message: "res did not answer /x within the tool time-out of 0.05 s",
      details: { failure_kind: "transport_timeout", boundary: "res" },
    });
    await server.closed(0);
    expect(server.received).toHaveLength(1);
  });

  test("an answer that never ends meets the same limit", async () => {
    await using server = await scriptedServer((_, response) => void response.write("{"));
    await using client = clientTo(server.url);
    await expect(client.call("res", { ...CALL, timeoutMs: 50 })).rejects.toMatchObject({ code: "NG_ERR_TIMEOUT" });
    await server.closed(0);
  });

  test("waiting for a free connection is not counted", async () => {
    await using server = await scriptedServer((_, response) => void setTimeout(() => response.end("1"), 30));
    await using client = clientTo(server.url, { maxConnectionsPerOrigin: 4, toolTimeoutMs: 1_000 });
    // 200 calls of 30 ms at 4 connections are 1.5 s for the last one, of which it waits 1.47 s.
    const replies = await Promise.all(Array.from({ length: 200 }, () => client.call("res", CALL)));
    expect(replies.every((reply) => reply.status === 200)).toBe(true);
    expect(server.connections()).toBe(4);
  });

  test("a limit longer than a timer can wait is no limit of one millisecond", async () => {
    await using server = await scriptedServer((_, response) => void setTimeout(() => response.end("1"), 50));
    await using client = clientTo(server.url);
    expect((await client.call("res", { ...CALL, timeoutMs: 1e12 })).json()).toBe(1);
  });

  test("the late answer of a call that timed out is never another call's", async () => {
    let answerLate: (() => void) | undefined;
    await using server = await scriptedServer((_, response) => {
      answerLate = () => response.end('"of the first call"');
    }, echo);
    await using client = clientTo(server.url, { maxConnectionsPerOrigin: 1 });
    await expect(client.call("res", { ...CALL, timeoutMs: 50 })).rejects.toMatchObject({ code: "NG_ERR_TIMEOUT" });
    answerLate?.();
    for (const path of ["/1", "/2", "/3"]) {
      expect((await client.call("res", { ...CALL, path })).json()).toEqual({ path, body: "{}" });
    }
  });
});

describe("a caller that leaves", () => {
  test("closes the connection while the server works", async () => {
    await using server = await scriptedServer("silence");
    await using client = clientTo(server.url);
    const leave = new AbortController();
    const call = client.call("res", { ...CALL, signal: leave.signal });
    await server.arrived(1);
    leave.abort(new Error("the run was stopped"));
    await expect(call).rejects.toMatchObject({ code: "NG_ERR_CANCELLED", details: { failure_kind: "cancelled", boundary: "res" } });
    await server.closed(0);
  });

  test("closes the connection in the middle of an answer", async () => {
    const leave = new AbortController();
    await using server = await scriptedServer((_, response) => {
      response.write("{");
      setImmediate(() => leave.abort());
    });
    await using client = clientTo(server.url);
    await expect(client.call("res", { ...CALL, signal: leave.signal })).rejects.toMatchObject({ code: "NG_ERR_CANCELLED" });
    await server.closed(0);
  });

  test("leaves the queue for a connection, and the others go on", async () => {
    let release: (() => void) | undefined;
    await using server = await scriptedServer((_, response) => {
      release = () => response.end("1");
    }, {});
    await using client = clientTo(server.url, { maxConnectionsPerOrigin: 1 });
    const first = client.call("res", CALL);
    const leave = new AbortController();
    const second = client.call("res", { ...CALL, path: "/second", signal: leave.signal });
    const third = client.call("res", { ...CALL, path: "/third" });
    await server.arrived(1);
    leave.abort();
    await expect(second).rejects.toMatchObject({ code: "NG_ERR_CANCELLED" });
    release?.();
    expect((await first).status).toBe(200);
    expect((await third).status).toBe(200);
    expect(server.received.map((request) => request.path)).toEqual(["/x", "/third"]);
  });

  test("before the call: nothing is sent", async () => {
    await using server = await scriptedServer({});
    await using client = clientTo(server.url);
    await expect(client.call("res", { ...CALL, signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "NG_ERR_CANCELLED" });
    expect(server.received).toHaveLength(0);
  });
});

describe("an answer", () => {
  test("that is too long is cut off", async () => {
    await using server = await scriptedServer({ body: JSON.stringify("x".repeat(5_000)) });
    await using client = clientTo(server.url, { maxResponseBytes: 4_096 });
    await expect(client.call("res", CALL)).rejects.toMatchObject({
      code: "NG_ERR_BAD_RESPONSE",
      message: expect.stringContaining("maxResponseBytes (4096)"),
      details: { failure_kind: "res:bad_response" },
    });
    expect(server.received).toHaveLength(1);
  });

  test("with a head that is too long is refused, once", async () => {
    await using server = await scriptedServer({ headers: { "x-long": "x".repeat(70_000) } });
    await using client = clientTo(server.url);
    await expect(client.call("res", CALL)).rejects.toMatchObject({
      code: "NG_ERR_BAD_RESPONSE",
      message: expect.stringContaining("maxResponseHeadBytes"),
    });
    expect(server.received).toHaveLength(1);
  });

  test("that is not JSON is an error only for who wants JSON", async () => {
    await using server = await scriptedServer({ body: "<html>busy</html>" });
    await using client = clientTo(server.url);
    const reply = await client.call("res", CALL);
    expect(reply.text()).toBe("<html>busy</html>");
    expect(() => reply.json()).toThrow(/res answered \/x with a body that is not JSON .*<html>busy/);
  });

  test("keeps cookies apart from headers and merges repeated headers", async () => {
    await using server = await scriptedServer({ headers: { "set-cookie": ["a=1; path=/", "b=2"], "x-many": ["1", "2"] } });
    await using client = clientTo(server.url);
    const reply = await client.call("res", CALL);
    expect(reply.setCookies).toEqual(["a=1; path=/", "b=2"]);
    expect(reply.headers["x-many"]).toBe("1, 2");
    expect(reply.headers["set-cookie"]).toBeUndefined();
  });

  test("with a header that objects have cannot reach a prototype", async () => {
    await using server = await scriptedServer({ headers: { ["__proto__"]: "x", constructor: "y" }, body: '{"__proto__":{"polluted":1}}' });
    await using client = clientTo(server.url);
    const reply = await client.call("res", CALL);
    expect(Object.keys(reply.json() as object)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(reply.headers)).toBe(Object.prototype);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});
