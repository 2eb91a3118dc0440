/** Answers that are streams: what reaches the caller, and when. */
import { request } from "node:http";
import { afterEach, describe, expect, test, vi } from "vitest";
import { listen } from "../../src/servers/listener.ts";
import { withKeepAlive } from "../../src/servers/sse.ts";

test("the head of a stream is sent before its first event", async () => {
  const first = Promise.withResolvers<void>();
  async function* events(): AsyncGenerator<string> {
    await first.promise;
    yield "data: 1\n\n";
  }
  const listener = await listen(
    { handle: async () => ({ status: 200, body: null, stream: events(), headers: { "content-type": "text/event-stream" } }) },
    { host: "127.0.0.1", port: 0 },
  );
  const text = await new Promise<string>((resolve, reject) => {
    const call = request({ port: listener.port, host: "127.0.0.1" }, async (response) => {
      first.resolve();
      let received = "";
      for await (const chunk of response.setEncoding("utf8")) received += chunk;
      resolve(received);
    });
    call.on("error", reject);
    call.end();
  });
  expect(text).toBe("data: 1\n\n");
  await listener.close(0);
});

describe("a stream that is silent for long", () => {
  afterEach(() => void vi.useRealTimers());

  test("gets a comment each time, and its events unchanged", async () => {
    vi.useFakeTimers();
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    async function* events(): AsyncGenerator<string> {
      for (const [n, gate] of gates.entries()) {
        await gate.promise;
        yield `data: ${n}\n\n`;
      }
    }
    const kept = withKeepAlive(events(), 15_000);
    const received: string[] = [];
    const reading = (async () => {
      for await (const chunk of kept) received.push(chunk);
    })();
    await vi.advanceTimersByTimeAsync(14_999);
    expect(received).toEqual([]);
    await vi.advanceTimersByTimeAsync(15_001);
    expect(received).toEqual([": keep-alive\n\n", ": keep-alive\n\n"]);
    gates[0]?.resolve();
    await vi.advanceTimersByTimeAsync(0);
    await vi.advanceTimersByTimeAsync(15_000);
    gates[1]?.resolve();
    await reading;
    expect(received.slice(2)).toEqual(["data: 0\n\n", ": keep-alive\n\n", "data: 1\n\n"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("ends its source when the reader leaves", async () => {
    let ended = false;
    async function* events(): AsyncGenerator<string> {
      try {
        for (;;) yield "data: 1\n\n";
      } finally {
        ended = true;
      }
    }
    for await (const _ of withKeepAlive(events(), 15_000)) break;
    expect(ended).toBe(true);
  });

  test("passes the error of its source on", async () => {
    // biome-ignore lint/correctness/useYield: a stream that breaks before its first event
    async function* events(): AsyncGenerator<string> {
      throw new Error("upstream broke");
    }
    await expect(withKeepAlive(events(), 15_000).next()).rejects.toThrow("upstream broke");
  });
});
