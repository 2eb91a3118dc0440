/** Frames of HTTP/2 that no honest caller sends: the connection pays for them, and no other. */
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { createServerClient, type Endpoint } from "../../../src/http/index.ts";
import { type Listener, listen } from "../../../src/servers/listener.ts";
import type { ListenerLimits } from "../../../src/servers/listener-limits.ts";
import { END_HEADERS, END_STREAM, frame, head, integer, literal, many, PREFACE, TYPE } from "./frames.ts";

const CANCEL = 8;

interface Attacked extends AsyncDisposable {
  listener: Listener;
  /** Paths that reached a handler. */
  seen: string[];
  others(): Promise<number>;
}

async function attacked(limits: Partial<ListenerLimits> = {}): Promise<Attacked> {
  const seen: string[] = [];
  const endpoint: Endpoint = {
    async handle({ path }) {
      seen.push(path);
      return { status: 200, body: path };
    },
  };
  const listener = await listen(endpoint, { host: "127.0.0.1", port: 0 }, limits);
  const client = createServerClient({
    addressOf: () => ({ url: `http://127.0.0.1:${listener.port}`, h2c: true }),
    policy: { maxAttempts: 1 },
  });
  return {
    listener,
    seen,
    others: async () => (await client.call("s", { kind: "tool", path: "/other", body: {} })).status,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await listener.close(0);
    },
  };
}

/** Sends until the server closes the connection; what is answered is read and forgotten. */
async function untilClosed(port: number, packets: readonly Buffer[]): Promise<void> {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.on("error", () => {});
  socket.resume();
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  let over = false;
  void closed.then(() => {
    over = true;
  });
  for (const packet of [PREFACE, frame(TYPE.settings), ...packets]) {
    if (over) break;
    if (!socket.write(packet)) await Promise.race([closed, new Promise((resolve) => socket.once("drain", resolve))]);
  }
  await closed;
}

const floods: [string, Buffer[]][] = [
  ["pings", many(50_000, () => frame(TYPE.ping, 0, 0, Buffer.alloc(8)))],
  ["settings", many(50_000, () => frame(TYPE.settings))],
  [
    "a head that never ends",
    [frame(TYPE.headers, 0, 1, head("GET")), ...many(5_000, (n) => frame(TYPE.continuation, 0, 1, literal(`x${n % 9}`, "y".repeat(100))))],
  ],
  ["a head of nothing that never ends", [frame(TYPE.headers, 0, 1, head("GET")), ...many(5_000, () => frame(TYPE.continuation, 0, 1))]],
  ["a body of nothing that never ends", [frame(TYPE.headers, END_HEADERS, 1, head("POST")), ...many(50_000, () => frame(TYPE.data, 0, 1))]],
  ["priorities", many(100_000, (n) => frame(TYPE.priority, 0, 2 * n + 1, Buffer.alloc(5)))],
  ["frames of an unknown kind", many(100_000, () => frame(99, 0, 0, Buffer.alloc(100)))],
  ["a window beyond all", [1, 2].map(() => frame(TYPE.window, 0, 0, integer(0x7fff_ffff)))],
  ["a frame longer than agreed", [frame(TYPE.data, 0, 1, Buffer.alloc(20_000))]],
  [
    "a body longer than its length",
    [frame(TYPE.headers, END_HEADERS, 1, head("POST", literal("content-length", "1"))), frame(TYPE.data, END_STREAM, 1, Buffer.from("{}"))],
  ],
  ["a promise, which only servers make", [frame(TYPE.pushPromise, END_HEADERS, 1, Buffer.concat([integer(2), head("GET")]))]],
];

describe("a flood of", () => {
  test.each(floods)("%s ends its connection", async (_, packets) => {
    await using server = await attacked();
    await untilClosed(server.listener.port, packets);
    expect(await server.others()).toBe(200);
    expect(server.seen.filter((path) => path === "/x").length).toBeLessThanOrEqual(1);
  });

  test("requests that are taken back at once ends its connection beyond what a cancelled run takes back", async () => {
    await using server = await attacked({ h2cStreamsPerConnection: 100 });
    const pair = (n: number): Buffer =>
      Buffer.concat([
        frame(TYPE.headers, END_HEADERS | END_STREAM, 2 * n + 1, head("GET")),
        frame(TYPE.reset, 0, 2 * n + 1, integer(CANCEL)),
      ]);
    await untilClosed(server.listener.port, many(50_000, pair));
    expect(await server.others()).toBe(200);
  });

  test("streams beyond the limit reaches no handler", async () => {
    await using server = await attacked({ h2cStreamsPerConnection: 10, requestTimeoutMs: 200 });
    await untilClosed(
      server.listener.port,
      many(2_000, (n) => frame(TYPE.headers, END_HEADERS, 2 * n + 1, head("POST"))),
    );
    expect(await server.others()).toBe(200);
    expect(server.seen).toEqual(["/other"]);
  });
});

describe("a stream", () => {
  /** The code with which the server resets the stream of this head. */
  async function resetCode(bytes: Buffer[], limits: Partial<ListenerLimits> = {}): Promise<{ code: number; seen: string[] }> {
    await using server = await attacked(limits);
    const socket = connect({ port: server.listener.port, host: "127.0.0.1" });
    const code = await new Promise<number>((resolve) => {
      let received = Buffer.alloc(0);
      socket.on("data", (chunk) => {
        received = Buffer.concat([received, chunk]);
        for (let at = 0; at + 9 <= received.length; ) {
          const length = received.readUIntBE(at, 3);
          if (received[at + 3] === TYPE.reset && received.length >= at + 13) resolve(received.readUInt32BE(at + 9));
          at += 9 + length;
        }
      });
      socket.write(Buffer.concat([PREFACE, frame(TYPE.settings), ...bytes]));
    });
    socket.destroy();
    expect(await server.others()).toBe(200);
    return { code, seen: server.seen };
  }
  const PROTOCOL_ERROR = 1;
  const opened = (...more: Buffer[]): Buffer[] => [frame(TYPE.headers, END_HEADERS | END_STREAM, 1, head("GET", ...more))];

  test.each([
    ["a header in capitals", opened(literal("X-A", "b"))],
    ["a header of HTTP/1.1's framing", opened(literal("transfer-encoding", "chunked"))],
    ["a second path", opened(literal(":path", "/y"))],
    ["no path", [frame(TYPE.headers, END_HEADERS | END_STREAM, 1, Buffer.from([0x82, 0x86]))]],
    [
      "a body shorter than its length",
      [
        frame(TYPE.headers, END_HEADERS, 1, head("POST", literal("content-length", "5"))),
        frame(TYPE.data, END_STREAM, 1, Buffer.from("{}")),
      ],
    ],
  ])("with %s is reset and reaches no handler", async (_, bytes) => {
    expect(await resetCode(bytes)).toEqual({ code: PROTOCOL_ERROR, seen: ["/other"] });
  });

  test("with hundreds of headers is reset", async () => {
    const { code, seen } = await resetCode(opened(...Array.from({ length: 300 }, (_, n) => literal(`a${n}`, "1"))));
    expect([code, seen]).toEqual([11, ["/other"]]);
  });

  test("whose body never ends is cancelled, and no handler gets the half of it", async () => {
    const bytes = [frame(TYPE.headers, END_HEADERS, 1, head("POST")), frame(TYPE.data, 0, 1, Buffer.from("1"))];
    expect(await resetCode(bytes, { requestTimeoutMs: 100 })).toEqual({ code: CANCEL, seen: ["/other"] });
  });
});
