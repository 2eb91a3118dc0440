/** A request on its way through all servers of a run to the endpoint, whatever the transport. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newCall, outgoingHeaders, withCall } from "../../src/telemetry/index.ts";
import { API_KEY, FRONT, type Run, startRun, WAYS } from "./run.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`;

describe.each(WAYS)("%s", (way) => {
  let run: Run;
  beforeAll(async () => {
    run = await startRun(way, { log_level: "debug" });
  });
  beforeEach(() => run.upstream.reset());
  afterAll(() => run[Symbol.asyncDispose]());

  test("request id, rollout and trace are on every hop, in every line, and, but for the rollout, at the endpoint", async () => {
    const reply = await run.rollout({ "x-request-id": "from-outside-1", traceparent: TRACEPARENT, tracestate: "v=1" });
    expect(reply.status).toBe(200);

    const [sent] = run.upstream.requests;
    expect(sent?.headers).toMatchObject({
      traceparent: expect.stringMatching(`^00-${TRACE}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$`),
      tracestate: "v=1",
      "x-ng-request-id": "from-outside-1",
    });
    expect(Object.keys(sent?.headers ?? {}).filter((name) => /rollout/.test(name))).toEqual([]);

    const hops = { mcqa: "/verify", mcqa_simple_agent: "/run", [FRONT]: "/run", policy_model: "/v1/responses" };
    for (const [server, path] of Object.entries(hops)) {
      const line = await run.entry((entry) => entry.server === server && entry.message.startsWith(`POST ${path} `));
      expect(line).toMatchObject({
        level: "debug",
        request: "from-outside-1",
        rollout: "3-1",
        message: `POST ${path} 200`,
        ms: expect.any(Number),
      });
    }
    expect(JSON.stringify(run.events)).not.toContain(API_KEY);
  });

  test("two rollouts at once are told apart, and nothing of a caller is believed that is no plain token", async () => {
    const hostile = { "x-request-id": "a b", traceparent: "00-xx", "x-ng-rollout": "../../etc" };
    await Promise.all([run.rollout(hostile), run.rollout(hostile)]);
    const ids = run.upstream.requests.map(({ headers }) => headers["x-ng-request-id"]);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
    expect(new Set(run.upstream.requests.map(({ headers }) => headers.traceparent)).size).toBe(2);
    const last = await run.entry((entry) => entry.server === FRONT && entry.request === ids[0]);
    expect(last.rollout).toBe("3-1");
  });

  test("an upstream that refuses is told with the caller's request and rollout, without the key", async () => {
    run.upstream.script("/v1/responses", [{ status: 400, json: {} }]);
    expect(await run.rollout({ "x-request-id": "req-6" })).toMatchObject({ status: 500, headers: { "x-ng-request-id": "req-6" } });
    run.upstream.script("/v1/responses", [
      { status: 503, json: { error: `no place for ${API_KEY}` } },
      { status: 200, json: { never: "read" } },
    ]);
    await run.rollout({ "x-request-id": "req-7" });
    const line = await run.entry((entry) => entry.server === "policy_model" && /try 2 in/.test(entry.message));
    expect(line).toMatchObject({ level: "warn", request: "req-7", rollout: "3-1", message: expect.stringContaining("status 503") });
    expect(JSON.stringify(run.events)).not.toContain(API_KEY);
  });
});

test("a collector's calls carry its rollout", async () => {
  await using run = await startRun("local", { log_level: "debug" }, { outgoing: outgoingHeaders });
  await withCall(newCall("collector", "9-9-a1"), () => run.rollout());
  const line = await run.entry((entry) => entry.server === FRONT);
  expect(line.rollout).toBe("9-9-a1");
});
