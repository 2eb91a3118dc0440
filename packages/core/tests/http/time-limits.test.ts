/** Each kind of call has a time limit of its own, by name; and connections are given up before their server gives them up. */
import { describe, expect, test } from "vitest";
import { type CallKind, CLIENT_LIMITS, type ClientLimits, createServerClient } from "../../src/http/index.ts";
import { fakeClock } from "./fake-clock.ts";
import { scriptedServer } from "./scripted-server.ts";

const LIMITS: [CallKind, keyof ClientLimits, string][] = [
  ["model", "modelTimeoutMs", "model time-out"],
  ["tool", "toolTimeoutMs", "tool time-out"],
  ["verify", "verifyTimeoutMs", "verify time-out"],
  ["seed", "seedTimeoutMs", "seed time-out"],
  ["run", "runTimeoutMs", "run time-out"],
  ["agent", "runTimeoutMs", "run time-out"],
  ["control", "controlTimeoutMs", "control time-out"],
];

test.each(LIMITS)("%s: %s, named %s", async (kind, limit, name) => {
  await using server = await scriptedServer("silence");
  const endpoint = { handle: () => new Promise<never>(() => {}) };
  for (const local of [undefined, new Map([["res", endpoint]])]) {
    // All others would fire never, or much later.
    const others = Object.fromEntries(LIMITS.map(([, other]) => [other, 0]));
    await using client = createServerClient({
      addressOf: () => ({ url: server.url }),
      local,
      limits: { ...others, [limit]: 40 },
      clock: fakeClock(),
    });
    await expect(client.call("res", { kind, path: "/x", body: {} })).rejects.toMatchObject({
      code: "NG_ERR_TIMEOUT",
      message: `res did not answer /x within the ${name} of 0.04 s`,
      details: { failure_kind: "transport_timeout", boundary: "res" },
    });
  }
});

test("the wait for a place at an endpoint is no part of the limit", async () => {
  const held: (() => void)[] = [];
  await using server = await scriptedServer((_, response) => void held.push(() => response.end("1")), {});
  await using client = createServerClient({ addressOf: () => ({ url: server.url }) });
  const call = (timeoutMs: number) =>
    client.fetch({ name: "u", url: server.url, concurrency: 1 }, { kind: "model", path: "/", timeoutMs, maxAttempts: 1 });
  const first = call(0);
  await server.arrived(1);
  const second = call(500);
  setTimeout(() => held[0]?.(), 600);
  expect((await Promise.all([first, second])).map(({ status }) => status)).toEqual([200, 200]);
});

describe("an idle connection", () => {
  test("is closed by the client first where its server does not say how long it keeps it", async () => {
    expect(CLIENT_LIMITS.idleConnectionMs).toBeLessThan(5_000);
    await using server = await scriptedServer({ headers: { connection: "keep-alive", "keep-alive": "" } });
    await using client = createServerClient({ addressOf: () => ({ url: server.url }), limits: { idleConnectionMs: 50 } });
    await client.call("res", { kind: "tool", path: "/x" });
    await server.closed(0);
    await client.call("res", { kind: "tool", path: "/x" });
    expect(server.connections()).toBe(2);
  });

  test("is closed two seconds before its server would, where that does say", async () => {
    await using server = await scriptedServer({ headers: { connection: "keep-alive", "keep-alive": "timeout=3" } });
    await using client = createServerClient({ addressOf: () => ({ url: server.url }), limits: { idleConnectionMs: 60_000 } });
    await client.call("res", { kind: "tool", path: "/x" });
    // Its server would keep it for a minute, and the client as well.
    await server.closed(0);
  });

  test("is used again before that", async () => {
    await using server = await scriptedServer({});
    await using client = createServerClient({ addressOf: () => ({ url: server.url }) });
    for (let n = 0; n < 100; n++) await client.call("res", { kind: "tool", path: "/x" });
    expect(server.connections()).toBe(1);
  });
});
