/** A circuit stops calling who refused the key, and finds out by itself when the key works again. */
import { describe, expect, test } from "vitest";
import { type CircuitLoad, createServerClient, isKeyRefusal, type Reply, type ServerClient } from "../../src/http/index.ts";
import { fakeClock } from "./fake-clock.ts";
import { type ScriptedServer, type Step, scriptedServer } from "./scripted-server.ts";

const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 600_000;

const answer = (status: number, body: unknown) => ({ status, text: () => (typeof body === "string" ? body : JSON.stringify(body)) });

describe("what counts as a refused key", () => {
  test.each([
    [429, { error: { code: "insufficient_quota" } }, true],
    [429, { error: { type: "BUDGET_EXCEEDED" } }, true],
    [429, { error: "insufficient_quota" }, true],
    [429, { error: { code: "rate_limit_exceeded" } }, false],
    [429, "insufficient_quota", false],
    [401, { error: { code: "invalid_api_key" } }, true],
    [403, { error: { type: "authentication_error" } }, true],
    [403, { error: { code: "invalid_api_token" } }, true],
    [401, "Incorrect API key provided", true],
    [401, { error: { message: "INVALID api KEY" } }, true],
    [401, { error: { message: "no access to this model" } }, false],
    [400, { error: { code: "invalid_api_key" } }, false],
    [200, { error: { code: "invalid_api_key" } }, false],
  ])("%i %j: %s", (status, body, expected) => {
    expect(isKeyRefusal(answer(status, body))).toBe(expected);
  });
});

const REFUSED: Step = { status: 401, body: '{"error":{"code":"invalid_api_key","message":"no such key"}}' };

interface Scene extends AsyncDisposable {
  server: ScriptedServer;
  client: ServerClient;
  changes: CircuitLoad[];
  /** Lets time pass. */
  later(ms: number): Promise<void>;
  ask(): Promise<Reply>;
  circuit(): CircuitLoad | undefined;
}

async function scene(...steps: Step[]): Promise<Scene> {
  const server = await scriptedServer(...steps);
  const clock = fakeClock();
  const client = createServerClient({ addressOf: () => ({ url: server.url }), clock });
  const changes: CircuitLoad[] = [];
  const target = {
    name: "upstream",
    url: `${server.url}/v1`,
    circuit: { opensOn: isKeyRefusal, onChange: (load: CircuitLoad) => changes.push(load) },
  };
  return {
    server,
    client,
    changes,
    later: (ms) => clock.pause(ms),
    ask: () => client.fetch(target, { kind: "model", path: "/v1", body: {}, maxAttempts: 1 }),
    circuit: () => client.stats().upstream?.circuit,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe("a circuit", () => {
  test("fails calls at once with the refusal that was had, and says since when", async () => {
    await using one = await scene(REFUSED);
    expect((await one.ask()).status).toBe(401);
    await expect(one.ask()).rejects.toMatchObject({
      code: "NG_ERR_UPSTREAM_STATUS",
      message: expect.stringMatching(
        /^Not sent: the key of upstream was refused at \d{4}-.* tried again at \d{4}-.*answered 401.*no such key/,
      ),
      details: {
        failure_kind: "upstream:upstream_status",
        boundary: "upstream",
        status: 401,
        inner_status: 401,
        inner_body: (REFUSED as { body: string }).body,
      },
    });
    expect(one.server.received).toHaveLength(1);
    expect(one.circuit()).toMatchObject({ state: "open", reason: expect.stringContaining("401: "), since: expect.any(Number) });
    expect(one.changes.map(({ state }) => state)).toEqual(["open"]);
  });

  test("lets one trial through after the pause, and doubles the pause up to the longest", async () => {
    await using one = await scene(REFUSED);
    await one.ask();
    const since = one.circuit()?.since;
    let pause = FIRST_PAUSE_MS;
    for (let round = 1; round <= 6; round++) {
      await one.later(pause - 1);
      await expect(one.ask()).rejects.toThrow("Not sent");
      await one.later(1);
      const [trial, other] = await Promise.allSettled([one.ask(), one.ask()]);
      expect([trial.status, other.status], "only one is let through").toEqual(["fulfilled", "rejected"]);
      expect(one.server.received).toHaveLength(round + 1);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
    expect(pause).toBe(LONGEST_PAUSE_MS);
    expect(one.circuit()?.since).toBe(since);
    expect(one.changes).toHaveLength(1);
  });

  test("is half open during the trial, and closed by its answer", async () => {
    let finish: (() => void) | undefined;
    await using one = await scene(REFUSED, (_, response) => {
      finish = () => response.end("{}");
    });
    await one.ask();
    await one.later(FIRST_PAUSE_MS);
    const trial = one.ask();
    await one.server.arrived(2);
    expect(one.circuit()?.state).toBe("half-open");
    finish?.();
    await trial;
    expect(one.circuit()).toEqual({ state: "closed" });
    expect(one.changes.map(({ state }) => state)).toEqual(["open", "closed"]);
  });

  test("calls that were under way when it opened do not lengthen the pause", async () => {
    const held: (() => void)[] = [];
    await using one = await scene(
      (_, response) => void held.push(() => response.writeHead(401).end('{"error":"invalid_api_key"}')),
      REFUSED,
    );
    const first = Promise.all([one.ask(), one.ask()]);
    await one.server.arrived(2);
    held[0]?.();
    await first;
    const { since = 0, nextTrial = 0 } = one.circuit() ?? {};
    expect(nextTrial - since).toBe(FIRST_PAUSE_MS);
  });

  test("another failure of the trial keeps it open for the same pause", async () => {
    await using one = await scene(REFUSED, { status: 503 }, {});
    await one.ask();
    await one.later(FIRST_PAUSE_MS);
    expect((await one.ask()).status).toBe(503);
    await expect(one.ask()).rejects.toThrow("Not sent");
    await one.later(FIRST_PAUSE_MS);
    expect((await one.ask()).status).toBe(200);
  });

  test("calls that wait for a place when it opens are not sent", async () => {
    await using server = await scriptedServer(REFUSED);
    await using client = createServerClient({ addressOf: () => ({ url: server.url }), clock: fakeClock() });
    const target = { name: "u", url: server.url, concurrency: 1, circuit: { opensOn: isKeyRefusal } };
    const calls = await Promise.allSettled(Array.from({ length: 20 }, () => client.fetch(target, { kind: "model", path: "/" })));
    expect(calls.filter(({ status }) => status === "rejected")).toHaveLength(19);
    expect(server.received).toHaveLength(1);
  });
});

test("a server and the endpoint behind it may have one name: circuit, limit and counters are the endpoint's", async () => {
  await using server = await scriptedServer({});
  await using client = createServerClient({ addressOf: () => ({ url: server.url }) });
  await client.call("policy", { kind: "model", path: "/" });
  const target = { name: "policy", shownAs: "policy endpoint", url: server.url, concurrency: 3, circuit: { opensOn: isKeyRefusal } };
  await client.fetch(target, { kind: "model", path: "/" });
  await client.fetch({ name: "policy", url: server.url }, { kind: "tool", path: "/", inner: true });
  const counts = { inFlight: 0, waiting: 0, pausing: 0, retries: 0, errors: 0 };
  expect(client.stats()).toEqual({
    policy: { calls: 2, ...counts },
    "policy endpoint": { calls: 1, ...counts, limit: { kind: "fixed", current: 3 }, circuit: { state: "closed" } },
  });
});
