/** The adaptive limit against endpoints that bear only so much, in virtual time; with the retry layer above it, as in the client. */
import { describe, expect, test } from "vitest";
import { adaptiveSize, FIRST_LIMIT } from "../../src/http/adaptive-size.ts";
import { adaptiveLimit, type ConcurrencyLimit } from "../../src/http/concurrency-limit.ts";
import { DEFAULT_RETRY_POLICY, type Reply } from "../../src/http/index.ts";
import { textReply } from "../../src/http/reply.ts";
import { withRetries } from "../../src/http/retry.ts";
import { type VirtualTime, virtualTime } from "./virtual-time.ts";

interface Endpoint {
  capacity: number;
  latencyMs: number;
  /** Sent with a refusal. */
  retryAfter?: string;
  running: number;
  most: number;
  requests: number;
  refused: number;
  answered: number;
  handle(): Promise<Reply>;
}

const reply = (status: number, headers: Record<string, string> = {}): Reply =>
  textReply({ server: "u", path: "/", status, headers, setCookies: [], text: "{}" });

/** Refuses at once what is beyond its capacity; an answer takes between half and one and a half of its latency. */
function endpointOf({ clock }: VirtualTime, capacity: number, latencyMs = 1_000): Endpoint {
  return {
    capacity,
    latencyMs,
    running: 0,
    most: 0,
    requests: 0,
    refused: 0,
    answered: 0,
    async handle() {
      this.requests++;
      if (this.running >= this.capacity) {
        this.refused++;
        await clock.pause(5);
        return reply(429, this.retryAfter === undefined ? {} : { "retry-after": this.retryAfter });
      }
      this.most = Math.max(this.most, ++this.running);
      await clock.pause(this.latencyMs * (0.5 + clock.random()));
      this.running--;
      this.answered++;
      return reply(200);
    },
  };
}

function limitOf({ clock }: VirtualTime, max = 16_000): ConcurrencyLimit {
  const { maxRetryAfterMs, busyStatus } = DEFAULT_RETRY_POLICY;
  return adaptiveLimit(max, {
    name: "u",
    url: "http://u",
    clock,
    maxQueuedCalls: 100_000,
    maxRetryAfterMs,
    giveUpAfterMs: busyStatus.withinMs,
  });
}

/** That many callers, each with one call after the other. */
function callers(
  count: number,
  { time, limit, endpoint }: { time: VirtualTime; limit: ConcurrencyLimit; endpoint: Endpoint },
): { failed: number } {
  const outcome = { failed: 0 };
  const caller = async (): Promise<void> => {
    for (;;) {
      let waitedMs = 0;
      const result = await withRetries(
        (again) =>
          limit.run(
            (waited) => {
              waitedMs += waited;
              return endpoint.handle();
            },
            { again },
          ),
        {
          policy: DEFAULT_RETRY_POLICY,
          server: "u",
          url: "http://u",
          replay: true,
          statuses: true,
          timeoutName: "x",
          clock: time.clock,
          waitedMs: () => waitedMs,
        },
      );
      if (result.status !== 200) outcome.failed++;
    }
  };
  for (let n = 0; n < count; n++) void caller().catch(() => outcome.failed++);
  return outcome;
}

describe("an endpoint that bears 50 calls", () => {
  test.each([1, 2, 3])("is used to 85 % and more, seldom refuses, and no call fails (draw %i)", async (seed) => {
    const time = virtualTime(seed);
    const endpoint = endpointOf(time, 50);
    const limit = limitOf(time);
    const outcome = callers(400, { time, limit, endpoint });
    await time.runUntil(300_000);
    expect(endpoint.answered / (50 * 300)).toBeGreaterThanOrEqual(0.85);
    expect(endpoint.refused / endpoint.requests).toBeLessThan(0.005);
    expect(limit.load()).toEqual({ kind: "adaptive", current: expect.any(Number), max: 16_000 });
    expect(limit.load().current).toBeGreaterThanOrEqual(39);
    expect(limit.load().current).toBeLessThanOrEqual(51);
    expect(outcome.failed).toBe(0);
  });

  test("is reached by slow start within a few rounds", async () => {
    const time = virtualTime();
    const endpoint = endpointOf(time, 5_000);
    const limit = limitOf(time);
    callers(6_000, { time, limit, endpoint });
    await time.runUntil(15_000);
    expect(endpoint.most).toBe(5_000);
  });
});

test("callers that are fewer than the limit do not raise it", async () => {
  const time = virtualTime();
  const endpoint = endpointOf(time, 1_000);
  const limit = limitOf(time);
  callers(FIRST_LIMIT - 1, { time, limit, endpoint });
  await time.runUntil(100_000);
  expect(limit.load().current).toBe(FIRST_LIMIT);
});

describe("an endpoint that changes", () => {
  test("becomes smaller and bigger: the limit follows both ways", async () => {
    const time = virtualTime();
    const endpoint = endpointOf(time, 100);
    const limit = limitOf(time);
    const outcome = callers(600, { time, limit, endpoint });
    await time.runUntil(120_000);
    expect(limit.load().current).toBeGreaterThan(75);

    endpoint.capacity = 10;
    await time.runUntil(150_000);
    expect(limit.load().current).toBeLessThanOrEqual(11);
    const [refused, requests] = [endpoint.refused, endpoint.requests];
    await time.runUntil(270_000);
    expect((endpoint.refused - refused) / (endpoint.requests - requests)).toBeLessThan(0.05);

    endpoint.capacity = 200;
    await time.runUntil(300_000);
    const answered = endpoint.answered;
    await time.runUntil(400_000);
    expect((endpoint.answered - answered) / (200 * 100)).toBeGreaterThanOrEqual(0.85);
    expect(outcome.failed).toBe(0);
  });

  test("bears nothing for a while: one call at a time, and never none", async () => {
    const time = virtualTime();
    const endpoint = endpointOf(time, 50);
    const limit = limitOf(time);
    const outcome = callers(20, { time, limit, endpoint });
    await time.runUntil(30_000);
    endpoint.capacity = 0;
    await time.runUntil(90_000);
    expect(limit.load().current).toBe(1);
    endpoint.capacity = 50;
    await time.runUntil(200_000);
    expect(limit.load().current).toBeGreaterThanOrEqual(10);
    expect(outcome.failed).toBe(0);
  });

  test("asks for a pause: nothing is sent before it is over", async () => {
    const time = virtualTime();
    const endpoint = endpointOf(time, 1_000);
    const limit = limitOf(time);
    callers(64, { time, limit, endpoint });
    await time.runUntil(20_000);
    Object.assign(endpoint, { capacity: 0, retryAfter: "30" });
    await time.runUntil(22_000);
    const { requests } = endpoint;
    expect(endpoint.refused).toBeGreaterThan(0);
    endpoint.capacity = 1_000;
    await time.runUntil(49_500);
    expect(endpoint.requests).toBe(requests);
    await time.runUntil(53_000);
    expect(endpoint.requests).toBeGreaterThan(requests);
  });
});

describe("the size", () => {
  const size = (max = 1_000) => {
    const one = adaptiveSize(max);
    return { ...one, grow: (answers: number) => void Array.from({ length: answers }, () => one.answered(one.episode(), true)) };
  };

  test("grows by one for each answer of slow start, then by one a round", () => {
    const one = size();
    one.grow(84);
    expect(one.current()).toBe(FIRST_LIMIT + 84);
    one.refused(one.episode(), 100);
    expect(one.current()).toBe(80);
    one.grow(79);
    expect(one.current()).toBe(80);
    one.grow(3);
    expect(one.current()).toBe(81);
  });

  test("does not grow while places are free", () => {
    const one = size();
    for (let n = 0; n < 1_000; n++) one.answered(one.episode(), false);
    expect(one.current()).toBe(FIRST_LIMIT);
  });

  test("is cut once for all calls that were under way, also where they answer well", () => {
    const one = size();
    one.grow(84);
    const before = one.episode();
    for (let running = 100; running > 0; running--) one.refused(before, running);
    for (let n = 0; n < 1_000; n++) one.answered(before, true);
    expect(one.current()).toBe(80);
    one.refused(one.episode(), 80);
    expect(one.current()).toBe(64);
  });

  test("is cut from what was really used", () => {
    const one = size();
    one.grow(984);
    one.refused(one.episode(), 50);
    expect(one.current()).toBe(40);
  });

  test("stays between one and its bound", () => {
    const one = size(30);
    one.grow(1_000);
    expect(one.current()).toBe(30);
    for (let n = 0; n < 100; n++) one.refused(one.episode(), 1);
    expect(one.current()).toBe(1);
    expect(size(1).current()).toBe(1);
  });
});
