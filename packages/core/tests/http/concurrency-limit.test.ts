/** Places at one endpoint: who gets them, in which order, and when waiting ends. */
import { describe, expect, test } from "vitest";
import { type ConcurrencyLimit, fixedLimit, type LimitOptions } from "../../src/http/concurrency-limit.ts";
import type { Reply } from "../../src/http/index.ts";
import { textReply } from "../../src/http/reply.ts";
import { type VirtualTime, virtualTime } from "./virtual-time.ts";

const reply = (status = 200, headers: Record<string, string> = {}, text = "{}"): Reply =>
  textReply({ server: "u", path: "/", status, headers, setCookies: [], text });

function limitOf(calls: number, time: VirtualTime, options: Partial<LimitOptions> = {}): ConcurrencyLimit {
  return fixedLimit(calls, {
    name: "u",
    url: "http://u/v1",
    clock: time.clock,
    maxQueuedCalls: 1_000,
    maxRetryAfterMs: 60_000,
    giveUpAfterMs: 600_000,
    ...options,
  });
}

/** A call that ends when it is told to. */
function held(): { send: () => Promise<Reply>; end: (reply: Reply) => void } {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  return { send: () => promise, end: resolve };
}

describe("places", () => {
  test("are given in order, those that were sent before first", async () => {
    const limit = limitOf(1, virtualTime());
    const first = held();
    const order: string[] = [];
    const call = (name: string, again: boolean): Promise<Reply> =>
      limit.run(
        async () => {
          order.push(name);
          return reply();
        },
        { again },
      );
    const running = limit.run(first.send);
    const others = [call("new 1", false), call("new 2", false), call("again 1", true), call("again 2", true)];
    expect(limit.waiting()).toBe(4);
    first.end(reply());
    await Promise.all([running, ...others]);
    expect(order).toEqual(["again 1", "again 2", "new 1", "new 2"]);
    expect(limit.waiting()).toBe(0);
  });

  test("a call that comes when one is just free does not pass those that wait", async () => {
    const limit = limitOf(1, virtualTime());
    const first = held();
    const order: number[] = [];
    const call = (n: number): Promise<Reply> =>
      limit.run(async () => {
        order.push(n);
        return reply();
      });
    const running = limit.run(first.send);
    const second = call(2);
    first.end(reply());
    await running;
    await Promise.all([second, call(3)]);
    expect(order).toEqual([2, 3]);
  });

  test("are given back by a call that fails", async () => {
    const limit = limitOf(1, virtualTime());
    const fails = limit.run(async () => {
      throw new Error("cut");
    });
    await expect(fails).rejects.toThrow("cut");
    expect((await limit.run(async () => reply())).status).toBe(200);
  });

  test("never more than the number, with thousands of calls that come and leave", async () => {
    const time = virtualTime();
    const limit = limitOf(7, time);
    let running = 0;
    let most = 0;
    let left = 0;
    const calls = Array.from({ length: 900 }, (_, n) => {
      const leave = new AbortController();
      const call = limit.run(
        async () => {
          most = Math.max(most, ++running);
          await time.clock.pause(100);
          running--;
          return reply(n % 5 === 0 ? 429 : 200);
        },
        { signal: leave.signal },
      );
      if (n % 3 === 0) void time.clock.pause(n).then(() => leave.abort());
      return call.catch(() => left++);
    });
    await time.runUntil(100_000);
    await Promise.all(calls);
    expect(most).toBe(7);
    expect(left).toBeGreaterThan(100);
    expect(limit.waiting()).toBe(0);
  });

  test("tell how long they were waited for", async () => {
    const time = virtualTime();
    const limit = limitOf(1, time);
    const waits: number[] = [];
    const call = (): Promise<Reply> =>
      limit.run(async (waitedMs) => {
        waits.push(waitedMs);
        await time.clock.pause(50);
        return reply();
      });
    const calls = [call(), call(), call()];
    await time.runUntil(1_000);
    await Promise.all(calls);
    expect(waits).toEqual([0, 50, 100]);
  });
});

describe("waiting ends", () => {
  test("when the caller leaves, and the others keep their order", async () => {
    const limit = limitOf(1, virtualTime());
    const first = held();
    const running = limit.run(first.send);
    const leave = new AbortController();
    const second = limit.run(async () => reply(), { signal: leave.signal });
    const third = limit.run(async () => reply());
    leave.abort(new Error("enough"));
    await expect(second).rejects.toMatchObject({ code: "NG_ERR_CANCELLED", details: { failure_kind: "cancelled", boundary: "u" } });
    first.end(reply());
    await Promise.all([running, third]);
  });

  test("before it begins where the queue is full", async () => {
    const limit = limitOf(1, virtualTime(), { maxQueuedCalls: 1 });
    const first = held();
    const calls = [limit.run(first.send), limit.run(async () => reply())];
    await expect(limit.run(async () => reply())).rejects.toMatchObject({
      code: "NG_ERR_OVERLOADED",
      message: expect.stringContaining("maxQueuedCalls (1)"),
    });
    first.end(reply());
    await Promise.all(calls);
  });

  test("with the endpoint's answer when it has refused everything for too long", async () => {
    const time = virtualTime();
    const limit = limitOf(1, time, { giveUpAfterMs: 10_000 });
    const outcomes: unknown[] = [];
    const refuse = async (): Promise<Reply> => {
      await time.clock.pause(4_000);
      return reply(429, {}, "no capacity");
    };
    const calls = Array.from({ length: 6 }, () =>
      limit.run(refuse).then(
        ({ status }) => outcomes.push(status),
        (error) => outcomes.push(error),
      ),
    );
    await time.runUntil(60_000);
    await Promise.all(calls);
    // Refused at 4, 8, 12 and 16 s: 12 s after the first one the two that still wait are told.
    expect(outcomes.filter((outcome) => outcome === 429)).toHaveLength(4);
    for (const error of outcomes.slice(-2))
      expect(error).toMatchObject({
        code: "NG_ERR_UPSTREAM_STATUS",
        message: expect.stringMatching(/Not sent: u has refused every call for 12 s.*no capacity/),
        details: { failure_kind: "u:upstream_status", status: 429, inner_body: "no capacity" },
      });
  });

  test("not for a refusal of long ago", async () => {
    const time = virtualTime();
    const limit = limitOf(1, time, { giveUpAfterMs: 10_000 });
    await limit.run(async () => reply(429));
    await time.runUntil(1_000_000);
    const calls = [429, 200, 200].map((status) =>
      limit.run(async () => {
        await time.clock.pause(100);
        return reply(status);
      }),
    );
    await time.runUntil(2_000_000);
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([429, 200, 200]);
  });

  test("an answer between refusals begins that time anew", async () => {
    const time = virtualTime();
    const limit = limitOf(1, time, { giveUpAfterMs: 10_000 });
    let n = 0;
    const calls = Array.from({ length: 30 }, () =>
      limit.run(async () => {
        await time.clock.pause(4_000);
        return reply(n++ % 2 === 0 ? 503 : 200);
      }),
    );
    await time.runUntil(200_000);
    expect(await Promise.all(calls)).toHaveLength(30);
  });

  test("when the client is closed, also during a pause that the endpoint asked for", async () => {
    const time = virtualTime();
    const limit = limitOf(2, time);
    await limit.run(async () => reply(503, { "retry-after": "50" }));
    const waits = limit.run(async () => reply());
    limit.close();
    await expect(waits).rejects.toMatchObject({ code: "NG_ERR_CANCELLED" });
    await expect(limit.run(async () => reply())).rejects.toMatchObject({ code: "NG_ERR_CANCELLED" });
  });
});

describe("Retry-After", () => {
  test.each([
    ["seconds", "20", 20_000],
    ["a date", new Date(25_000).toUTCString(), 25_000],
    ["beyond reason", "86400", 60_000],
  ])("holds for all calls: %s", async (_, header, opensAt) => {
    const time = virtualTime();
    const limit = limitOf(4, time);
    await limit.run(async () => reply(429, { "retry-after": header }));
    const sent: number[] = [];
    const calls = Array.from({ length: 6 }, () =>
      limit.run(async () => {
        sent.push(time.clock.now());
        return reply();
      }),
    );
    await time.runUntil(100_000);
    await Promise.all(calls);
    expect(sent).toEqual(Array(6).fill(opensAt));
  });

  test("a spent quota says nothing about load", async () => {
    const time = virtualTime();
    const limit = limitOf(1, time);
    await limit.run(async () => reply(429, { "retry-after": "20" }, '{"error":{"code":"insufficient_quota"}}'));
    expect((await limit.run(async () => reply())).status).toBe(200);
    expect(time.clock.now()).toBe(0);
  });
});
