import { describe, expect, test } from "vitest";
import { createServerClient, type OutsideCall, type RetryNotice, type RetryPolicy, type ServerClient } from "../../src/http/index.ts";
import { type FakeClock, fakeClock } from "./fake-clock.ts";
import { type Step, scriptedServer } from "./scripted-server.ts";

const CALL: OutsideCall = { kind: "model", path: "/x", body: { n: 1 } };

interface Setup {
  client: ServerClient;
  clock: FakeClock;
  notices: RetryNotice[];
}

function clientTo(url: string, policy: Partial<RetryPolicy> = {}, clock = fakeClock()): Setup {
  const notices: RetryNotice[] = [];
  const client = createServerClient({ addressOf: () => ({ url }), policy, clock, onRetry: (notice) => notices.push(notice) });
  return { client, clock, notices };
}

/** A port that nobody listens on. */
async function deadUrl(): Promise<string> {
  const server = await scriptedServer({});
  await server[Symbol.asyncDispose]();
  return server.url;
}

describe("refused connections", () => {
  test("three tries, then an error that says where, why and what to do; the first warning before the first pause", async () => {
    const url = await deadUrl();
    const { client, clock, notices } = clientTo(url);
    await using _ = client;
    await expect(client.call("judge", CALL)).rejects.toMatchObject({
      code: "NG_ERR_UNREACHABLE",
      message: expect.stringMatching(/^judge at http:\/\/127\.0\.0\.1:\d+\/x cannot be reached after 3 tries: .*ECONNREFUSED/),
      hint: expect.stringContaining("host and port"),
      details: { failure_kind: "transport_unreachable", boundary: "judge", attempts: 3, url: `${url}/x` },
    });
    expect(clock.pauses).toEqual([250, 500]);
    expect(notices.map((notice) => [notice.server, notice.reason, notice.attempt])).toEqual([
      ["judge", "unreachable", 1],
      ["judge", "unreachable", 2],
    ]);
  });

  test("its budget of time ends it earlier", async () => {
    const { client, clock } = clientTo(await deadUrl(), { transport: { ...NEVER_ENDING, unreachable: { attempts: 99, withinMs: 2_000 } } });
    await using _ = client;
    await expect(client.call("judge", CALL)).rejects.toMatchObject({ code: "NG_ERR_UNREACHABLE" });
    // 250 + 500 + 1000 fit into 2 s from the first failure; 2000 more do not.
    expect(clock.pauses).toEqual([250, 500, 1_000]);
  });

  test("a name that does not resolve is unreachable too", async () => {
    const { client } = clientTo("http://nowhere.invalid:1", { maxAttempts: 1 });
    await using _ = client;
    await expect(client.call("judge", CALL)).rejects.toMatchObject({ code: "NG_ERR_UNREACHABLE" });
  });
});

const NEVER_ENDING = {
  unreachable: { attempts: Number.POSITIVE_INFINITY, withinMs: 1e9 },
  peer_drop: { attempts: Number.POSITIVE_INFINITY, withinMs: 1e9 },
  timeout: { attempts: 1, withinMs: 0 },
  local_resource: { attempts: Number.POSITIVE_INFINITY, withinMs: 1e9 },
};

/** [what happens, steps, call, requests that arrive, outcome: a status or an error code]. */
const TABLE: [string, Step[], Partial<OutsideCall>, number, number | string][] = [
  ["a reset before the answer is replayed", ["reset", "reset", {}], {}, 3, 200],
  ["resets without end: five tries", ["reset"], {}, 5, "NG_ERR_PEER_DROP"],
  ["an answer cut in the middle is not asked for again", ["cut", {}], {}, 1, "NG_ERR_PEER_DROP"],
  ["500 three times", [{ status: 500, body: '"no"' }], {}, 3, 500],
  ["500 once", [{ status: 500 }, {}], {}, 2, 200],
  ["408 three times", [{ status: 408 }], {}, 3, 408],
  ["500 and 408 share a budget", [{ status: 500 }, { status: 408 }, { status: 500 }], {}, 3, 500],
  ["a reset and a 500 have budgets of their own", [{ status: 500 }, { status: 500 }, "reset", "reset", {}], {}, 5, 200],
  ["503 as long as the deadline allows", [...Array.from({ length: 9 }, () => ({ status: 503 })), {}], {}, 10, 200],
  ["529 and 520 like 503", [{ status: 529 }, { status: 520 }, { status: 502 }, { status: 504 }, {}], {}, 5, 200],
  ["400 is final", [{ status: 400 }], {}, 1, 400],
  ["404 is final", [{ status: 404 }], {}, 1, 404],
  ["404 when asked for", [{ status: 404 }], { retryStatuses: [404] }, 3, 404],
  [
    "a spent quota is final",
    [{ status: 429, body: '{"error":{"code":"insufficient_quota"}}', headers: { "retry-after": "1" } }],
    {},
    1,
    429,
  ],
  ["maxAttempts 0: one request", [{ status: 500 }], { maxAttempts: 0 }, 1, 500],
  ["maxAttempts 1: one request", [{ status: 429, headers: { "retry-after": "1" } }], { maxAttempts: 1 }, 1, 429],
  ["maxAttempts 1: one request also when reset", ["reset"], { maxAttempts: 1 }, 1, "NG_ERR_PEER_DROP"],
  ["maxAttempts caps all kinds together", [{ status: 500 }, "reset", { status: 503 }, { status: 503 }], { maxAttempts: 4 }, 4, 503],
  ["replay false: a reset is final", ["reset", {}], { replay: false }, 1, "NG_ERR_PEER_DROP"],
  ["replay false: 500 is final", [{ status: 500 }, {}], { replay: false }, 1, 500],
  ["replay false: 503 is final", [{ status: 503, headers: { "retry-after": "1" } }, {}], { replay: false }, 1, 503],
  ["replay false: 429 says that nothing was done", [{ status: 429 }, {}], { replay: false }, 2, 200],
  ["a whole rollout is never replayed", ["reset", {}], { kind: "run" }, 1, "NG_ERR_PEER_DROP"],
  ["an agent's loop is never replayed", ["reset", {}], { kind: "agent" }, 1, "NG_ERR_PEER_DROP"],
  ["verify is replayed", ["reset", {}], { kind: "verify" }, 2, 200],
  ["a tool is replayed", ["reset", {}], { kind: "tool" }, 2, 200],
  ["a seed is replayed", ["reset", {}], { kind: "seed" }, 2, 200],
];

describe("the retry table towards endpoints outside", () => {
  test.each(TABLE)("%s", async (_name, steps, call, requests, outcome) => {
    await using server = await scriptedServer(...steps);
    const { client } = clientTo(server.url);
    await using _ = client;
    const result = client.fetch({ name: "upstream", url: `${server.url}/x` }, { ...CALL, ...call });
    if (typeof outcome === "number") expect((await result).status).toBe(outcome);
    else await expect(result).rejects.toMatchObject({ code: outcome });
    expect(server.received).toHaveLength(requests);
    for (const request of server.received) expect(request.body).toBe('{"n":1}');
  });

  test("a status that stays keeps its body and says how often it was tried", async () => {
    await using server = await scriptedServer({ status: 500, body: '{"error":"out of GPUs"}' });
    const { client } = clientTo(server.url);
    await using _ = client;
    const reply = await client.fetch({ name: "upstream", url: server.url }, CALL);
    expect(reply.json()).toEqual({ error: "out of GPUs" });
    expect(reply.headers["x-ng-attempts"]).toBe("3");
  });
});

describe("between servers", () => {
  test.each([
    ["500", { status: 500 }],
    ["503", { status: 503 }],
    ["429 without Retry-After", { status: 429 }],
  ])("%s is final: the server below has tried already", async (_, step) => {
    await using server = await scriptedServer(step, {});
    const { client } = clientTo(server.url);
    await using _client = client;
    expect((await client.call("agent", CALL)).status).toBe(step.status);
    expect(server.received).toHaveLength(1);
  });

  test("429 with Retry-After means not now, also for a whole rollout", async () => {
    await using server = await scriptedServer({ status: 429, headers: { "retry-after": "1" } }, {});
    const { client, clock } = clientTo(server.url);
    await using _ = client;
    expect((await client.call("agent", { ...CALL, kind: "run" })).status).toBe(200);
    expect(clock.pauses).toEqual([1_000]);
  });
});

describe("pauses", () => {
  test("Retry-After in seconds and as a date", async () => {
    const clock = fakeClock();
    const date = new Date(clock.now() + 2_000 + 3_000).toUTCString();
    await using server = await scriptedServer(
      { status: 429, headers: { "retry-after": "2" } },
      { status: 503, headers: { "retry-after": date } },
      { status: 429, headers: { "retry-after": "soon" } },
      {},
    );
    const { client } = clientTo(server.url, {}, clock);
    await using _ = client;
    expect((await client.fetch({ name: "u", url: server.url }, CALL)).status).toBe(200);
    // The third says nothing useful: the third step of the backoff, half of it by jitter.
    expect(clock.pauses).toEqual([2_000, 3_000, 1_000]);
  });

  test("a Retry-After beyond reason is cut, and the deadline still ends the call", async () => {
    await using server = await scriptedServer({ status: 429, headers: { "retry-after": "86400" } });
    const { client, clock } = clientTo(server.url, { maxRetryAfterMs: 60_000, busyStatus: { attempts: 99, withinMs: 150_000 } });
    await using _ = client;
    expect((await client.fetch({ name: "u", url: server.url }, CALL)).status).toBe(429);
    expect(clock.pauses).toEqual([60_000, 60_000]);
  });

  test("429 for ever ends with its body after ten minutes", async () => {
    await using server = await scriptedServer({ status: 429, body: '{"error":"slow down"}' });
    const { client, clock } = clientTo(server.url, {}, fakeClock(0.999));
    await using _ = client;
    const reply = await client.fetch({ name: "u", url: server.url }, CALL);
    expect(reply.json()).toEqual({ error: "slow down" });
    const total = clock.pauses.reduce((sum, delay) => sum + delay, 0);
    expect(total).toBeLessThanOrEqual(600_000);
    expect(total).toBeGreaterThan(500_000);
    expect(Math.max(...clock.pauses)).toBeLessThanOrEqual(30_000);
    expect(server.received).toHaveLength(clock.pauses.length + 1);
  });

  test("full jitter: between nothing and twice the last bound", async () => {
    for (const random of [0, 0.25, 0.999]) {
      await using server = await scriptedServer("reset", "reset", "reset", {});
      const { client, clock } = clientTo(server.url, {}, fakeClock(random));
      await using _ = client;
      await client.call("u", CALL);
      expect(clock.pauses).toEqual([500, 1_000, 2_000].map((bound) => bound * random));
    }
  });

  test("a caller that leaves during a pause ends it", async () => {
    await using server = await scriptedServer({ status: 503 });
    const leave = new AbortController();
    const client = createServerClient({
      addressOf: () => ({ url: server.url }),
      policy: { baseDelayMs: 3_600_000, maxDelayMs: 3_600_000, busyStatus: { attempts: 9, withinMs: 1e12 } },
      onRetry: () => leave.abort(new Error("enough")),
    });
    await using _ = client;
    const call = client.fetch({ name: "u", url: server.url }, { ...CALL, signal: leave.signal });
    await expect(call).rejects.toMatchObject({ code: "NG_ERR_CANCELLED", details: { failure_kind: "cancelled", boundary: "u" } });
    expect(server.received).toHaveLength(1);
    // That is no error of what was called.
    expect(client.stats().u).toMatchObject({ calls: 1, inFlight: 0, pausing: 0, retries: 1, errors: 0, lastRefusal: 503 });
  });

  test("calls in a pause are told as such, with the status for which they wait", async () => {
    await using server = await scriptedServer({ status: 429, body: "slow down" }, {});
    const seen: unknown[] = [];
    const notices: RetryNotice[] = [];
    const clock = fakeClock();
    const client: ServerClient = createServerClient({
      addressOf: () => ({ url: server.url }),
      clock: {
        ...clock,
        pause: async () => {
          seen.push(client.stats().u);
        },
      },
      onRetry: (notice) => notices.push(notice),
    });
    await using _ = client;
    await client.fetch({ name: "u", url: server.url }, CALL);
    expect(seen).toEqual([expect.objectContaining({ inFlight: 1, pausing: 1, lastRefusal: 429 })]);
    expect(client.stats().u).toMatchObject({ inFlight: 0, pausing: 0 });
    expect(notices).toEqual([expect.objectContaining({ status: 429, said: "slow down", giveUpAfterMs: expect.any(Number) })]);
  });

  test("counters tell calls, retries and errors by target", async () => {
    await using server = await scriptedServer("reset", {}, "cut");
    const { client } = clientTo(server.url);
    await using _ = client;
    await client.call("a", CALL);
    await client.call("a", CALL).catch(() => {});
    expect(client.stats()).toEqual({ a: { calls: 2, inFlight: 0, waiting: 0, pausing: 0, retries: 1, errors: 1 } });
  });
});
