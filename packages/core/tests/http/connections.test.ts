/** How many connections a client opens, in which order calls get them, and what happens when one is closed under a call. */

import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { type Call, createServerClient, DEFAULT_RETRY_POLICY, type ServerClient } from "../../src/http/index.ts";
import { fakeClock } from "./fake-clock.ts";
import { scriptedServer } from "./scripted-server.ts";

const CALL: Call = { kind: "tool", path: "/x", body: {} };

function clientTo(url: string, limits: { maxConnectionsPerOrigin?: number } = {}): ServerClient {
  return createServerClient({ addressOf: () => ({ url }), limits, clock: fakeClock() });
}

describe("the queue for connections", () => {
  test("16,000 calls on one connection: each is sent once, first come, first served", async () => {
    const count = 16_000;
    await using server = await scriptedServer({ body: "1" });
    await using client = clientTo(server.url, { maxConnectionsPerOrigin: 1 });
    await Promise.all(Array.from({ length: count }, (_, n) => client.call("res", { ...CALL, path: `/${n}` })));
    expect(server.connections()).toBe(1);
    expect(server.received).toHaveLength(count);
    expect(server.received.every((request, n) => request.path === `/${n}`)).toBe(true);
    expect(client.stats()).toEqual({ res: { calls: count, inFlight: 0, waiting: 0, pausing: 0, retries: 0, errors: 0 } });
  });

  test("the cap holds while all connections are busy, and a second origin has a cap of its own", async () => {
    const held: (() => void)[] = [];
    const hold = (_: unknown, response: { end(text: string): void }): void => void held.push(() => response.end("1"));
    await using one = await scriptedServer(hold);
    await using two = await scriptedServer(hold);
    await using client = createServerClient({
      addressOf: (name) => ({ url: name === "one" ? one.url : two.url }),
      limits: { maxConnectionsPerOrigin: 3 },
    });
    const calls = ["one", "two"].flatMap((name) => Array.from({ length: 5 }, () => client.call(name, CALL)));
    await Promise.all([one.arrived(3), two.arrived(3)]);
    expect([one.received.length, two.received.length]).toEqual([3, 3]);
    while (held.length > 0) {
      for (const release of held.splice(0)) release();
      await Promise.race([Promise.all(calls), new Promise((resolve) => setImmediate(resolve))]);
    }
    await Promise.all([one.arrived(5), two.arrived(5)]);
    for (const release of held.splice(0)) release();
    await Promise.all(calls);
    expect([one.connections(), two.connections()]).toEqual([3, 3]);
  });

  test("600 calls at once: more than one pool of connections, none lost, none opened twice", async () => {
    const held: (() => void)[] = [];
    await using server = await scriptedServer((_, response) => void held.push(() => response.end("1")));
    await using client = clientTo(server.url);
    const calls = Promise.all(Array.from({ length: 600 }, () => client.call("res", CALL)));
    await server.arrived(600);
    expect(server.connections()).toBe(600);
    for (const release of held) release();
    await calls;
    held.length = 0;
    const next = client.call("res", CALL);
    await server.arrived(601);
    held[0]?.();
    await next;
    expect(server.connections()).toBe(600);
  });
});

describe("connections in all", () => {
  interface Held extends AsyncDisposable {
    server: Awaited<ReturnType<typeof scriptedServer>>;
    release(): void;
  }

  async function holding(): Promise<Held> {
    const held: (() => void)[] = [];
    const server = await scriptedServer((_, response) => void held.push(() => response.end("1")));
    return {
      server,
      release: () => {
        for (const end of held.splice(0)) end();
      },
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  }

  /** Idle connections stay for a minute, so that only need closes them. */
  const clientOf = (urls: Record<string, string>): ServerClient =>
    createServerClient({
      addressOf: (name) => ({ url: urls[name] as string }),
      limits: { maxConnections: 2, idleConnectionMs: 60_000, maxIdleConnectionMs: 60_000 },
    });

  test("idle ones of another server are closed for a call that needs one", async () => {
    await using one = await holding();
    await using two = await holding();
    await using client = clientOf({ one: one.server.url, two: two.server.url });
    const first = [client.call("one", CALL), client.call("one", CALL)];
    await one.server.arrived(2);
    one.release();
    await Promise.all(first);
    const second = [client.call("two", CALL), client.call("two", CALL)];
    await two.server.arrived(2);
    two.release();
    await Promise.all(second);
  });

  test("those of another server are given up when their call ends; the first of a server is not counted", async () => {
    await using one = await holding();
    await using two = await holding();
    await using client = clientOf({ one: one.server.url, two: two.server.url });
    const first = [client.call("one", CALL), client.call("one", CALL)];
    await one.server.arrived(2);
    const second = [client.call("two", CALL), client.call("two", CALL)];
    await two.server.arrived(1);
    expect(client.stats().two).toMatchObject({ inFlight: 2, waiting: 1 });
    one.release();
    await Promise.all(first);
    await two.server.arrived(2);
    two.release();
    await Promise.all(second);
  });

  test("a caller that leaves the queue for them takes nothing with it", async () => {
    await using one = await holding();
    await using client = clientOf({ one: one.server.url });
    const first = [client.call("one", CALL), client.call("one", CALL)];
    await one.server.arrived(2);
    const leave = new AbortController();
    const second = client.call("one", { ...CALL, signal: leave.signal });
    const third = client.call("one", { ...CALL, path: "/third" });
    leave.abort();
    await expect(second).rejects.toMatchObject({ code: "NG_ERR_CANCELLED", details: { boundary: "one" } });
    one.release();
    await one.server.arrived(3);
    one.release();
    await Promise.all([...first, third]);
    expect(one.server.received.map(({ path }) => path)).toEqual(["/x", "/x", "/third"]);
  });
});

/** Answers the first request of each connection; what comes after it meets a closed connection, as when a server gives up an idle one. */
async function closingServer(): Promise<AsyncDisposable & { url: string; requests: string[] }> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    let answered = false;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      requests.push(chunk.toString("latin1").split(" ")[1] ?? "");
      if (answered || requests.length > 20) return void socket.resetAndDestroy();
      answered = true;
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe("a connection that its server closes at the moment of reuse", () => {
  test("a call that may be sent again succeeds on a new one", async () => {
    await using server = await closingServer();
    await using client = clientTo(server.url);
    await client.call("res", { ...CALL, path: "/first" });
    expect((await client.call("res", { ...CALL, path: "/second" })).status).toBe(200);
    expect(server.requests).toEqual(["/first", "/second", "/second"]);
  });

  test("a rollout is not sent again: it fails and says that the other side closed", async () => {
    await using server = await closingServer();
    await using client = clientTo(server.url);
    await client.call("agent", { ...CALL, path: "/first" });
    await expect(client.call("agent", { kind: "run", path: "/run", body: {} })).rejects.toMatchObject({
      code: "NG_ERR_PEER_DROP",
      details: { failure_kind: "transport_peer_drop", boundary: "agent", attempts: 1 },
    });
    expect(server.requests).toEqual(["/first", "/run"]);
  });

  test("a server that was restarted is reached on a new connection", async () => {
    const first = await scriptedServer({ body: "1" });
    let url = first.url;
    await using client = createServerClient({ addressOf: () => ({ url }), clock: fakeClock(), policy: DEFAULT_RETRY_POLICY });
    expect((await client.call("env", CALL)).json()).toBe(1);
    await first[Symbol.asyncDispose]();
    await using second = await scriptedServer({ body: "2" });
    url = second.url;
    expect((await client.call("env", CALL)).json()).toBe(2);
  });
});
