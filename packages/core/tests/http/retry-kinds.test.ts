/** The retry table, kind by kind, in virtual time: how often and how long a failure of one kind is repeated, and what ends it. */
import { describe, expect, test } from "vitest";
import { createServerClient, DEFAULT_RETRY_POLICY, type Reply } from "../../src/http/index.ts";
import { textReply } from "../../src/http/reply.ts";
import { type RetryOptions, withRetries } from "../../src/http/retry.ts";
import { fakeClock } from "./fake-clock.ts";
import { scriptedServer } from "./scripted-server.ts";

const failure = (code: string): Error => Object.assign(new Error(`${code} of the system`), { code });
const status = (code: number, headers: Record<string, string> = {}): Reply =>
  textReply({ server: "u", path: "/", status: code, headers, setCookies: [], text: "why" });

interface Played {
  tries: number;
  /** Milliseconds from the first failure to the end. */
  lastedMs: number;
  /** Milliseconds from the first failure to the first notice. */
  warnedMs: number | undefined;
  outcome: unknown;
}

/** Plays the same outcome for every try. `tryMs`: how long each lasts. */
async function play(outcome: Error | Reply, how: Partial<RetryOptions> & { tryMs?: number; random?: number } = {}): Promise<Played> {
  const clock = fakeClock(how.random ?? 0.5);
  let tries = 0;
  let first: number | undefined;
  let warned: number | undefined;
  const attempt = async (): Promise<Reply> => {
    tries++;
    await clock.pause(how.tryMs ?? 0);
    first ??= clock.now();
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  const result = await withRetries(attempt, {
    policy: DEFAULT_RETRY_POLICY,
    server: "u",
    url: "http://u/x",
    replay: true,
    statuses: true,
    timeoutName: "model time-out",
    clock,
    onRetry: () => {
      warned ??= clock.now();
    },
    ...how,
  }).catch((error: unknown) => error);
  const from = first ?? 0;
  return { tries, lastedMs: clock.now() - from, warnedMs: warned === undefined ? undefined : warned - from, outcome: result };
}

const UNTIL_THE_DEADLINE = Number.POSITIVE_INFINITY;

/** [failure, tries, budget of time in milliseconds, code or status of the end]. */
const KINDS: [string, Error | Reply, number, number, string | number][] = [
  ["refused", failure("ECONNREFUSED"), 3, 10_000, "NG_ERR_UNREACHABLE"],
  ["a name that does not resolve", failure("ENOTFOUND"), 3, 10_000, "NG_ERR_UNREACHABLE"],
  ["no route", failure("EHOSTUNREACH"), 3, 10_000, "NG_ERR_UNREACHABLE"],
  ["no connection in time", failure("UND_ERR_CONNECT_TIMEOUT"), 3, 10_000, "NG_ERR_UNREACHABLE"],
  ["reset", failure("ECONNRESET"), 5, 60_000, "NG_ERR_PEER_DROP"],
  ["closed by the other side", failure("UND_ERR_SOCKET"), 5, 60_000, "NG_ERR_PEER_DROP"],
  ["broken pipe", failure("EPIPE"), 5, 60_000, "NG_ERR_PEER_DROP"],
  ["out of descriptors", failure("EMFILE"), UNTIL_THE_DEADLINE, 120_000, "NG_ERR_LOCAL_RESOURCE"],
  ["out of descriptors of the machine", failure("ENFILE"), UNTIL_THE_DEADLINE, 120_000, "NG_ERR_LOCAL_RESOURCE"],
  ["out of ports", failure("EADDRNOTAVAIL"), UNTIL_THE_DEADLINE, 120_000, "NG_ERR_LOCAL_RESOURCE"],
  ["time-out", failure("UND_ERR_HEADERS_TIMEOUT"), 1, 0, "NG_ERR_TIMEOUT"],
  ...[429, 502, 503, 504, 520, 529].map((code): [string, Reply, number, number, number] => [
    String(code),
    status(code),
    UNTIL_THE_DEADLINE,
    600_000,
    code,
  ]),
  ["500", status(500), 3, 600_000, 500],
  ["408", status(408), 3, 600_000, 408],
  ...[400, 401, 403, 404, 405, 413, 422, 501, 505].map((code): [string, Reply, number, number, number] => [
    String(code),
    status(code),
    1,
    0,
    code,
  ]),
];

describe.each(KINDS)("%s", (_name, outcome, tries, withinMs, end) => {
  test("has its number of tries, or its time", async () => {
    const played = await play(outcome);
    if (tries === UNTIL_THE_DEADLINE) {
      expect(played.lastedMs).toBeGreaterThan(withinMs - DEFAULT_RETRY_POLICY.maxDelayMs);
      expect(played.tries).toBeGreaterThan(5);
    } else expect(played.tries).toBe(tries);
    expect(played.lastedMs).toBeLessThanOrEqual(withinMs);
    if (typeof end === "number") expect(played.outcome).toMatchObject({ status: end });
    else {
      const details = { boundary: "u", url: "http://u/x", attempts: played.tries };
      expect(played.outcome).toMatchObject({ code: end, message: expect.stringContaining("u at http://u/x"), details });
    }
  });

  test("is warned of with the first failure, where it is repeated", async () => {
    expect((await play(outcome)).warnedMs).toBe(tries === 1 ? undefined : 0);
  });

  test("is over when its time is, however few tries there were", async () => {
    const played = await play(outcome, { tryMs: Math.max(1_000, withinMs) });
    expect(played.tries).toBeLessThanOrEqual(2);
  });

  test.each([0, 1])("maxAttempts %i: one request", async (maxAttempts) => {
    const played = await play(outcome, { policy: { ...DEFAULT_RETRY_POLICY, maxAttempts } });
    if (end === "NG_ERR_LOCAL_RESOURCE") expect(played.tries, "none was made yet").toBeGreaterThan(5);
    else expect(played.tries).toBe(1);
  });
});

describe("a call that may not run twice", () => {
  test.each([
    ["refused: nobody heard of it", failure("ECONNREFUSED"), 3],
    ["out of descriptors: it was not made", failure("EMFILE"), UNTIL_THE_DEADLINE],
    ["429: nothing was done", status(429), UNTIL_THE_DEADLINE],
    ["reset: it may have run", failure("ECONNRESET"), 1],
    ["500: it may have run", status(500), 1],
    ["503: it may have run", status(503), 1],
  ])("%s", async (_, outcome, tries) => {
    const played = await play(outcome, { replay: false });
    if (tries === UNTIL_THE_DEADLINE) expect(played.tries).toBeGreaterThan(5);
    else expect(played.tries).toBe(tries);
  });
});

describe("budgets", () => {
  test("time that a call waited for its turn is not counted", async () => {
    const clock = fakeClock();
    let waited = 0;
    let tries = 0;
    const reply = await withRetries(
      async () => {
        await clock.pause(550_000);
        waited += 550_000;
        return ++tries < 6 ? status(503) : status(200);
      },
      {
        policy: DEFAULT_RETRY_POLICY,
        server: "u",
        url: "http://u/x",
        replay: true,
        statuses: true,
        timeoutName: "x",
        clock,
        waitedMs: () => waited,
      },
    );
    expect(reply.status).toBe(200);
  });

  test("nor is it in the client, where another call has the only place for longer than the budget", async () => {
    const clock = fakeClock();
    const long = (_: unknown, response: { end(text: string): void }): void => void clock.pause(700_000).then(() => response.end("{}"));
    await using server = await scriptedServer({ status: 503 }, long, { status: 503 }, {});
    await using client = createServerClient({ addressOf: () => ({ url: server.url }), clock });
    const call = (path: string): Promise<Reply> =>
      client.fetch({ name: "u", url: server.url + path, concurrency: 1 }, { kind: "model", path });
    const replies = await Promise.all([call("/refused"), call("/long")]);
    expect(replies.map((reply) => reply.status)).toEqual([200, 200]);
    expect(server.received.map(({ path }) => path)).toEqual(["/refused", "/long", "/refused", "/refused"]);
  });

  test.each([
    ["seconds", "7", 7_000],
    ["seconds with a fraction", "0.5", 500],
    ["a date that is past", new Date(0).toUTCString(), 0],
    ["nonsense", "soon", 0],
    ["a negative number", "-5", 0],
  ])("Retry-After as %s", async (_, header, pause) => {
    const played = await play(status(429, { "retry-after": header }), {
      random: 0,
      policy: { ...DEFAULT_RETRY_POLICY, maxAttempts: 2 },
    });
    expect([played.tries, played.lastedMs]).toEqual([2, pause]);
  });

  test("the deadline of the caller ends whatever goes on: a pause", async () => {
    await using server = await scriptedServer({ status: 503, headers: { "retry-after": "500" } });
    await using client = createServerClient({ addressOf: () => ({ url: server.url }) });
    const call = client.fetch({ name: "u", url: server.url }, { kind: "model", path: "/", signal: AbortSignal.timeout(200) });
    await expect(call).rejects.toMatchObject({ code: "NG_ERR_CANCELLED", details: { failure_kind: "cancelled", boundary: "u" } });
  });

  test("the deadline of the caller ends whatever goes on: the wait for a place", async () => {
    await using server = await scriptedServer("silence");
    await using client = createServerClient({ addressOf: () => ({ url: server.url }) });
    const target = { name: "u", url: server.url, concurrency: 1 };
    const leave = new AbortController();
    const first = client.fetch(target, { kind: "model", path: "/", signal: leave.signal });
    await server.arrived(1);
    await expect(client.fetch(target, { kind: "model", path: "/", signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
      code: "NG_ERR_CANCELLED",
    });
    expect(client.stats().u).toMatchObject({ inFlight: 1, waiting: 0, limit: { kind: "fixed", current: 1 } });
    leave.abort();
    await expect(first).rejects.toMatchObject({ code: "NG_ERR_CANCELLED" });
    expect(server.received).toHaveLength(1);
  });
});
