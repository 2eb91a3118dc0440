/** Long bodies and callers who do not read. */
import { connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { createServerClient, type Endpoint } from "../../../src/http/index.ts";
import { bind, listen } from "../../../src/servers/listener.ts";
import type { ListenerLimits } from "../../../src/servers/listener-limits.ts";
import { rawConnection } from "../raw-connection.ts";
import { END_HEADERS, frame, head, integer, PREFACE, TYPE } from "./frames.ts";

const lengths: Endpoint = { handle: async ({ body }) => ({ status: 200, body: typeof body === "string" ? body.length : null }) };
const long: Endpoint = { handle: async () => ({ status: 200, body: "x".repeat(32 << 20) }) };

async function open(endpoint: Endpoint, limits: Partial<ListenerLimits> = {}) {
  const listener = await listen(endpoint, { host: "127.0.0.1", port: 0 }, limits);
  return { ...listener, [Symbol.asyncDispose]: () => listener.close(0) };
}

describe.each([
  ["HTTP/1.1", false],
  ["HTTP/2", true],
])("over %s", (_, h2c) => {
  test("50 MB are taken", async () => {
    await using listener = await open(lengths);
    await using client = createServerClient({ addressOf: () => ({ url: `http://127.0.0.1:${listener.port}`, h2c }) });
    expect((await client.call("s", { kind: "verify", path: "/verify", body: "x".repeat(50e6) })).json()).toBe(50e6);
  });

  test("a byte beyond max_body_bytes: 413 that names it, and the next call is answered", async () => {
    await using listener = await open(lengths, { maxBodyBytes: 1_002 });
    await using client = createServerClient({
      addressOf: () => ({ url: `http://127.0.0.1:${listener.port}`, h2c }),
      policy: { maxAttempts: 1 },
    });
    const ask = (length: number) => client.call("s", { kind: "verify", path: "/verify", body: "x".repeat(length) });
    expect((await ask(1_000)).json()).toBe(1_000);
    for (const length of [1_001, 20e6]) {
      const reply = await ask(length);
      expect([reply.status, reply.json()]).toEqual([413, { detail: "The body is larger than max_body_bytes (1002)." }]);
    }
    expect((await ask(1_000)).json()).toBe(1_000);
  });
});

describe.each([
  ["with its length", (size: number) => [`content-length: ${size}\r\n\r\n`, "x".repeat(size)]],
  ["in chunks", (size: number) => ["transfer-encoding: chunked\r\n\r\n", `${size.toString(16)}\r\n${"x".repeat(size)}\r\n0\r\n\r\n`]],
])("a body %s whose caller writes all of it before it reads", (_, parts) => {
  test("gets to read the refusal, then the connection ends", async () => {
    await using listener = await open(lengths, { maxBodyBytes: 1_000 });
    const socket = connect({ port: listener.port, host: "127.0.0.1" });
    socket.pause();
    const [fields = "", body = ""] = parts(20e6);
    await new Promise<void>((resolve, reject) => {
      socket.once("error", reject);
      socket.write(`POST /x HTTP/1.1\r\nhost: h\r\n${fields}${body}`, () => resolve());
    });
    let received = "";
    for await (const chunk of socket.setEncoding("latin1")) received += chunk;
    expect(received).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close[\s\S]*max_body_bytes \(1000\)/i);
  });
});

test("one that was announced and does not come is refused within lingerMs", async () => {
  await using listener = await open(lengths, { maxBodyBytes: 1_000, lingerMs: 50 });
  await using raw = await rawConnection(listener.port);
  await raw.send("POST /x HTTP/1.1\r\nhost: h\r\ncontent-length: 5000\r\n\r\n");
  expect(await raw.closed).toMatch(/^HTTP\/1\.1 413 /);
});

test("a caller that leaves in the middle of its body starts nothing", async () => {
  const bodies: unknown[] = [];
  await using listener = await open({ handle: async ({ body }) => ({ status: 200, body: bodies.push(body) }) });
  await using first = await rawConnection(listener.port);
  await first.send("POST /x HTTP/1.1\r\nhost: h\r\ncontent-type: application/json\r\ncontent-length: 3\r\n\r\n12");
  await first[Symbol.asyncDispose]();
  await using second = await rawConnection(listener.port);
  const request = [
    frame(TYPE.headers, END_HEADERS, 1, head("POST")),
    frame(TYPE.data, 0, 1, Buffer.from("12")),
    frame(TYPE.reset, 0, 1, integer(8)),
  ];
  await second.send(Buffer.concat([PREFACE, frame(TYPE.settings), ...request, frame(TYPE.ping, 0, 0, Buffer.from("received"))]));
  await second.until("received");
  await using last = await rawConnection(listener.port);
  await last.send("GET /x HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n");
  await last.closed;
  expect(bodies).toEqual([undefined]);
});

describe("a caller that asks and does not read", () => {
  test("over HTTP/1.1 is cut off after responseTimeoutMs", async () => {
    const net = await bind({ host: "127.0.0.1", port: 0 });
    const accepted = new Promise<Socket>((resolve) => net.once("connection", resolve));
    const listener = await listen(long, { bound: net }, { responseTimeoutMs: 100 });
    const socket = connect({ port: listener.port, host: "127.0.0.1" });
    socket.on("error", () => {});
    socket.write("GET /x HTTP/1.1\r\nhost: h\r\n\r\n");
    const side = await accepted;
    await new Promise((resolve) => side.once("close", resolve));
    socket.destroy();
    await listener.close(0);
  });

  test("over HTTP/2 its stream is, and its connection stays", async () => {
    await using listener = await open(long, { responseTimeoutMs: 100 });
    const session = connectHttp2(`http://127.0.0.1:${listener.port}`);
    const stream = session.request({ ":method": "GET", ":path": "/x" });
    stream.on("error", () => {});
    await new Promise((resolve) => stream.once("close", resolve));
    expect(stream.rstCode).toBe(8);
    await new Promise<void>((resolve, reject) => session.ping((error) => (error ? reject(error) : resolve())));
    session.destroy();
  });
});
