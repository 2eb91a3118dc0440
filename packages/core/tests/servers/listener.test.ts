/** A listening server against what a network sends it, and how it closes. */
import { connect as connectHttp2, constants } from "node:http2";
import type { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { type Call, createServerClient, type Endpoint, type EndpointReply, type ServerClient } from "../../src/http/index.ts";
import { bind, type Listener, listen } from "../../src/servers/listener.ts";
import type { ListenerLimits } from "../../src/servers/listener-limits.ts";
import { rawConnection } from "./raw-connection.ts";

const CALL: Call = { kind: "run", path: "/x", body: {} };
const ok: Endpoint = { handle: async ({ method, path, body }) => ({ status: 200, body: { method, path, body: body ?? null } }) };
const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const EMPTY_SETTINGS = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
const GET = "GET /x HTTP/1.1\r\nhost: h\r\n\r\n";

async function open(endpoint: Endpoint, limits: Partial<ListenerLimits> = {}): Promise<Listener & AsyncDisposable> {
  const listener = await listen(endpoint, { host: "127.0.0.1", port: 0 }, limits);
  return { ...listener, [Symbol.asyncDispose]: () => listener.close(0) };
}

function clientTo({ port }: Listener, h2c: boolean): ServerClient {
  return createServerClient({ addressOf: () => ({ url: `http://127.0.0.1:${port}`, h2c }), policy: { maxAttempts: 1 } });
}

/** An endpoint whose calls begin and end when the test says so. */
function gated(answer: EndpointReply = { status: 200, body: "done" }): {
  endpoint: Endpoint;
  began: Promise<AbortSignal>;
  finish: () => void;
} {
  const began = Promise.withResolvers<AbortSignal>();
  const end = Promise.withResolvers<void>();
  return {
    endpoint: {
      async handle({ signal }) {
        began.resolve(signal);
        await end.promise;
        return answer;
      },
    },
    began: began.promise,
    finish: end.resolve,
  };
}

describe("which protocol", () => {
  test.each([
    ["in one packet", [PREFACE]],
    ["after one byte", ["P", PREFACE.slice(1)]],
    ["byte by byte", [...PREFACE]],
  ])("HTTP/2 is known %s", async (_, pieces) => {
    const net = await bind({ host: "127.0.0.1", port: 0 });
    const sockets: Promise<Socket> = new Promise((resolve) => net.once("connection", resolve));
    const listener = await listen(ok, { bound: net });
    await using raw = await rawConnection(listener.port);
    const socket = await sockets;
    for (const piece of pieces) {
      const arrived = socket.bytesRead + piece.length;
      await raw.send(piece);
      while (socket.bytesRead < arrived) await new Promise((resolve) => setImmediate(resolve));
    }
    await raw.send(EMPTY_SETTINGS);
    // A SETTINGS frame: three bytes of length, then type 4.
    expect((await raw.until("\u0004")).charCodeAt(3)).toBe(4);
    await listener.close(0);
  });

  test("HTTP/1.1 is known, also where it begins like the preface", async () => {
    await using listener = await open(ok);
    for (const pieces of [
      [GET],
      ["P", "OST /x HTTP/1.1\r\nhost: h\r\ncontent-length: 2\r\n\r\n{}"],
      ["PR", "OPFIND /x HTTP/1.1\r\nhost: h\r\n\r\n"],
    ]) {
      await using raw = await rawConnection(listener.port);
      for (const piece of pieces) await raw.send(piece);
      expect(await raw.until("\r\n\r\n")).toMatch(/^HTTP\/1\.1 200 OK/);
    }
  });

  test.each([
    ["nothing HTTP knows", Buffer.from([0, 255, 13, 10, 13, 10])],
    ["a broken preface", "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n"],
    ["an HTTP/2 frame that is none", Buffer.concat([Buffer.from(PREFACE), Buffer.from([255, 255, 255, 4, 0, 0, 0, 0, 1])])],
    ["a head with a space where none may be", "GET / HTTP/1.1\r\nbad header : x\r\n\r\n"],
    ["two lengths", "POST /x HTTP/1.1\r\nhost: h\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}"],
    ["a length and chunks", "POST /x HTTP/1.1\r\nhost: h\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"],
  ])("%s ends the connection and no other", async (_, bytes) => {
    await using listener = await open(ok);
    await using good = await rawConnection(listener.port);
    await good.send(GET);
    await good.until("200 OK");
    await using bad = await rawConnection(listener.port);
    await bad.send(bytes);
    expect(await bad.closed).not.toContain("200 OK");
    await good.send(GET);
    expect((await good.until("}HTTP/1.1 200")).match(/200 OK/g)).toHaveLength(2);
  });
});

describe("slow and endless senders are cut off", () => {
  const SHORT = { headersTimeoutMs: 150, requestTimeoutMs: 300 };

  test("who connects and says nothing", async () => {
    await using listener = await open(ok, SHORT);
    await using raw = await rawConnection(listener.port);
    expect(await raw.closed).toBe("");
  });

  test("who says only P", async () => {
    await using listener = await open(ok, SHORT);
    await using raw = await rawConnection(listener.port);
    await raw.send("P");
    expect(await raw.closed).toBe("");
  });

  test("a head that drips", async () => {
    await using listener = await open(ok, SHORT);
    await using raw = await rawConnection(listener.port);
    await raw.send("GET /x HTTP/1.1\r\nx: ");
    raw.drip("x", 20);
    expect(await raw.closed).toMatch(/^(HTTP\/1\.1 408 |$)/);
  });

  test("a body that drips", async () => {
    await using listener = await open(ok, SHORT);
    await using raw = await rawConnection(listener.port);
    await raw.send("POST /x HTTP/1.1\r\nhost: h\r\ncontent-length: 1000000\r\n\r\n");
    raw.drip("x", 20);
    expect(await raw.closed).toMatch(/^(HTTP\/1\.1 408 |$)/);
  });

  test("a chunked body without end is refused at its limit", async () => {
    await using listener = await open(ok, { maxBodyBytes: 1_000, lingerMs: 50 });
    await using raw = await rawConnection(listener.port);
    await raw.send("POST /x HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\n\r\n");
    await raw.send(`800\r\n${"x".repeat(0x800)}\r\n`);
    expect(await raw.until("max_body_bytes (1000)")).toMatch(/^HTTP\/1\.1 413 /);
    raw.drip("1\r\nx\r\n", 5);
    await raw.closed;
  });

  test("an HTTP/2 connection without a stream", async () => {
    await using listener = await open(ok, SHORT);
    await using raw = await rawConnection(listener.port);
    await raw.send(Buffer.concat([Buffer.from(PREFACE), EMPTY_SETTINGS]));
    await raw.closed;
  });

  test("an HTTP/2 body without end: its stream ends, its connection stays", async () => {
    await using listener = await open(ok, SHORT);
    const session = connectHttp2(`http://127.0.0.1:${listener.port}`);
    const slow = session.request({ ":method": "POST", ":path": "/x" });
    slow.resume();
    slow.on("error", () => {});
    slow.write("{");
    await new Promise((resolve) => slow.once("close", resolve));
    expect(slow.rstCode).toBe(constants.NGHTTP2_CANCEL);
    const next = session.request({ ":method": "GET", ":path": "/x" });
    const status = await new Promise((resolve) => next.once("response", (headers) => resolve(headers[":status"])));
    expect(status).toBe(200);
    session.destroy();
  });

  test("a body without a type or a length is read on both protocols", async () => {
    await using listener = await open(ok);
    const session = connectHttp2(`http://127.0.0.1:${listener.port}`);
    const stream = session.request({ ":method": "POST", ":path": "/x" });
    stream.end("[1]");
    let text = "";
    for await (const chunk of stream.setEncoding("utf8")) text += chunk;
    session.destroy();
    await using raw = await rawConnection(listener.port);
    await raw.send("POST /x HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\n\r\n3\r\n[1]\r\n0\r\n\r\n");
    expect(text).toBe('{"method":"POST","path":"/x","body":[1]}');
    expect(await raw.until("}")).toContain(text);
  });

  test("a head that is too long: 431 over HTTP/1.1, a reset over HTTP/2", async () => {
    await using listener = await open(ok, { maxHeaderBytes: 2_000 });
    await using raw = await rawConnection(listener.port);
    await raw.send(`GET /x HTTP/1.1\r\nx: ${"x".repeat(3_000)}\r\n\r\n`);
    expect(await raw.closed).toMatch(/^HTTP\/1\.1 431 /);
    await using client = clientTo(listener, true);
    // The limit counts from when the client has heard of it.
    expect((await client.call("s", CALL)).status).toBe(200);
    await expect(client.call("s", { ...CALL, headers: { x: "x".repeat(3_000) } })).rejects.toMatchObject({
      code: expect.stringMatching(/^NG_ERR_/),
    });
    expect((await client.call("s", CALL)).status).toBe(200);
  });
});

describe.each([
  ["HTTP/1.1", false],
  ["HTTP/2", true],
])("closing with %s callers", (_, h2c) => {
  test("a call in flight gets its answer, then everything ends at once", async () => {
    const { endpoint, began, finish } = gated();
    const listener = await listen(endpoint, { host: "127.0.0.1", port: 0 });
    await using client = clientTo(listener, h2c);
    const call = client.call("s", CALL);
    await began;
    const closed = listener.close(3_600_000);
    expect(listener.inFlight()).toBe(1);
    finish();
    expect((await call).json()).toBe("done");
    await closed;
    expect(listener.inFlight()).toBe(0);
    await expect(client.call("s", CALL)).rejects.toMatchObject({ code: "NG_ERR_UNREACHABLE" });
  });

  test("a long answer is written whole before the connection ends", async () => {
    const text = "x".repeat(8 << 20);
    const { endpoint, began, finish } = gated({ status: 200, body: text });
    const listener = await listen(endpoint, { host: "127.0.0.1", port: 0 });
    await using client = clientTo(listener, h2c);
    const call = client.call("s", CALL);
    await began;
    const closed = listener.close(3_600_000);
    finish();
    expect((await call).json()).toBe(text);
    await closed;
  });

  test("a call that outlasts the grace period is cut, and its handler told", async () => {
    const { endpoint, began } = gated();
    const listener = await listen(endpoint, { host: "127.0.0.1", port: 0 });
    await using client = clientTo(listener, h2c);
    const cut = expect(client.call("s", CALL)).rejects.toMatchObject({ code: "NG_ERR_PEER_DROP" });
    const signal = await began;
    await listener.close(20);
    await cut;
    expect(signal.aborted).toBe(true);
  });

  test("idle connections do not keep it", async () => {
    const listener = await listen(ok, { host: "127.0.0.1", port: 0 });
    await using client = clientTo(listener, h2c);
    await Promise.all(Array.from({ length: 50 }, () => client.call("s", CALL)));
    await using silent = await rawConnection(listener.port);
    const closing = listener.close(3_600_000);
    expect(listener.close(0)).toBe(closing);
    await closing;
    await silent.closed;
  });
});

test("a taken port is the system's error", async () => {
  await using listener = await open(ok);
  await expect(listen(ok, { host: "127.0.0.1", port: listener.port })).rejects.toMatchObject({ code: "EADDRINUSE" });
});
