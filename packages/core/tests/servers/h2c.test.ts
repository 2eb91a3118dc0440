/** Many calls on few HTTP/2 connections: none is lost, mixed up or harmed by another. */
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { type Call, type ClientLimits, createServerClient, type Endpoint, type ServerClient } from "../../src/http/index.ts";
import { type Listener, listen } from "../../src/servers/listener.ts";

const CALL: Call = { kind: "tool", path: "/x", body: {} };
const echo: Endpoint = { handle: async ({ path, body }) => ({ status: 200, body: { path, body } }) };

async function open(endpoint: Endpoint): Promise<Listener & AsyncDisposable> {
  const listener = await listen(endpoint, { host: "127.0.0.1", port: 0 });
  return { ...listener, [Symbol.asyncDispose]: () => listener.close(0) };
}

function clientTo(port: number, limits: Partial<ClientLimits> = {}): ServerClient {
  return createServerClient({ addressOf: () => ({ url: `http://127.0.0.1:${port}`, h2c: true }), limits, policy: { maxAttempts: 1 } });
}

test("a thousand long bodies at once come back to their own callers", async () => {
  await using listener = await open(echo);
  await using client = clientTo(listener.port);
  const filling = "x".repeat(20_000);
  const replies = await Promise.all(
    Array.from({ length: 1_000 }, (_, n) => client.call("s", { ...CALL, path: `/${n}`, body: { n, filling } })),
  );
  for (const [n, reply] of replies.entries()) expect((reply.json() as { path: string; body: { n: number } }).body.n).toBe(n);
  expect(client.stats()).toEqual({ s: { calls: 1_000, inFlight: 0, waiting: 0, pausing: 0, retries: 0, errors: 0 } });
});

test("three thousand calls that are taken back at once do not end the connection of one that stays", async () => {
  const stay = Promise.withResolvers<void>();
  const allBegan = Promise.withResolvers<void>();
  let began = 0;
  await using listener = await open({
    async handle({ path, signal }) {
      if (++began === 3_001) allBegan.resolve();
      if (path === "/stays") await stay.promise;
      else await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      return { status: 200, body: path };
    },
  });
  await using client = clientTo(listener.port, { h2cConnectionsPerOrigin: 1 });
  const leave = new AbortController();
  const stays = client.call("s", { ...CALL, path: "/stays" });
  const taken = Array.from({ length: 3_000 }, () => client.call("s", { ...CALL, signal: leave.signal }));
  await allBegan.promise;
  leave.abort();
  const outcomes = await Promise.allSettled(taken);
  expect(outcomes.every((outcome) => outcome.status === "rejected" && outcome.reason.code === "NG_ERR_CANCELLED")).toBe(true);
  stay.resolve();
  expect((await stays).json()).toBe("/stays");
});

test("a call that timed out leaves the connection to the others, and its late answer to nobody", async () => {
  const late = Promise.withResolvers<void>();
  await using listener = await open({
    async handle({ path }) {
      if (path === "/late") await late.promise;
      return { status: 200, body: path };
    },
  });
  await using client = clientTo(listener.port, { h2cConnectionsPerOrigin: 1 });
  await expect(client.call("s", { ...CALL, path: "/late", timeoutMs: 50 })).rejects.toMatchObject({ code: "NG_ERR_TIMEOUT" });
  late.resolve();
  for (const path of ["/1", "/2", "/3"]) expect((await client.call("s", { ...CALL, path })).json()).toBe(path);
});

test("more calls than streams wait for their turn", async () => {
  let running = 0;
  let most = 0;
  await using listener = await open({
    async handle() {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return { status: 200, body: null };
    },
  });
  await using client = clientTo(listener.port, { h2cConnectionsPerOrigin: 2, h2cStreamsPerConnection: 10 });
  const replies = await Promise.all(Array.from({ length: 200 }, () => client.call("s", CALL)));
  expect(replies).toHaveLength(200);
  expect(most).toBeLessThanOrEqual(20);
});

test("a server that was restarted is reached on a new connection, a stopped one is unreachable", async () => {
  const first = await listen(echo, { host: "127.0.0.1", port: 0 });
  const { port } = first;
  await using client = clientTo(port);
  expect((await client.call("s", CALL)).status).toBe(200);
  await first.close();
  await expect(client.call("s", CALL)).rejects.toMatchObject({
    code: "NG_ERR_UNREACHABLE",
    details: { failure_kind: "transport_unreachable" },
  });
  const second = await listen(echo, { host: "127.0.0.1", port });
  expect((await client.call("s", CALL)).status).toBe(200);
  await second.close();
});

test.each([
  ["refuses the stream: sent again, even a rollout, for nobody looked at it", 7, "run", 2, 200],
  ["resets the stream: a rollout is not sent again", 2, "run", 1, "NG_ERR_PEER_DROP"],
  ["resets the stream: a tool is", 2, "tool", 2, 200],
])("a server that %s", async (_, code, kind, requests, outcome) => {
  let seen = 0;
  const server = createServer();
  server.on("stream", (stream) => {
    stream.on("error", () => {});
    if (++seen === 1) return stream.close(code as number);
    stream.respond({ ":status": 200 });
    stream.end("1");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  await using client = createServerClient({
    addressOf: () => ({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, h2c: true }),
    policy: { baseDelayMs: 1 },
  });
  const call = client.call("s", { ...CALL, kind: kind as "run" });
  if (typeof outcome === "number") expect((await call).status).toBe(outcome);
  else await expect(call).rejects.toMatchObject({ code: outcome, details: { failure_kind: "transport_peer_drop" } });
  expect(seen).toBe(requests);
  await client[Symbol.asyncDispose]();
  await new Promise((resolve) => server.close(resolve));
});

test("a connection that is cut in the middle of an answer: the answer is not taken for whole", async () => {
  const server = createServer();
  server.on("stream", (stream) => {
    stream.respond({ ":status": 200, "content-type": "application/json" });
    stream.write("[1", () => stream.session?.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  await using client = clientTo((server.address() as AddressInfo).port);
  await expect(client.call("s", CALL)).rejects.toMatchObject({
    code: "NG_ERR_PEER_DROP",
    message: expect.stringContaining("cut its answer"),
  });
  await client[Symbol.asyncDispose]();
  await new Promise((resolve) => server.close(resolve));
});
