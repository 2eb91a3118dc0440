/** Thousands of calls at once: none is held back by a limit that nobody named, and each costs the same however many wait. */
import { Session } from "node:inspector/promises";
import { fileURLToPath } from "node:url";
import { startCommand } from "@ng-gym/testing";
import { describe, expect, test } from "vitest";
import { type Concurrency, createServerClient, type Endpoint, type OutsideTarget, type ServerClient } from "../../src/http/index.ts";
import { listen } from "../../src/servers/listener.ts";
import { scriptedServer } from "./scripted-server.ts";

const ENDPOINT = fileURLToPath(new URL("fixtures/patient-endpoint.ts", import.meta.url));

async function all(count: number, client: ServerClient, target: OutsideTarget): Promise<Set<number>> {
  const call = () => client.fetch(target, { kind: "model", path: "/", body: {}, maxAttempts: 1 });
  return new Set((await Promise.all(Array.from({ length: count }, call))).map(({ status }) => status));
}

describe("calls in flight at once", () => {
  test.each([512, 10_000])("%i over HTTP/1.1, each on a connection of its own", { timeout: 120_000 }, async (count) => {
    // In a process of its own: two ends of so many connections are more descriptors than one process may have.
    await using endpoint = startCommand([process.execPath, ENDPOINT, String(count)], { timeoutMs: 120_000 });
    const url = `http://127.0.0.1:${(await endpoint.waitForLine(/listening (\d+)/))[1]}`;
    await using client = createServerClient({ addressOf: () => ({ url }) });
    expect(await all(count, client, { name: "upstream", url })).toEqual(new Set([200]));
    const seen = await client.fetch({ name: "count", url: `${url}/count` }, { kind: "control", path: "/count" });
    expect(seen.json()).toEqual({ requests: count, connections: count, most: count });
    expect(client.stats().upstream).toEqual({ calls: count, inFlight: 0, waiting: 0, pausing: 0, retries: 0, errors: 0 });
  });

  test("10,000 over a few connections of HTTP/2", { timeout: 60_000 }, async () => {
    const everybody = Promise.withResolvers<void>();
    let waiting = 0;
    const endpoint: Endpoint = {
      async handle() {
        if (++waiting === 10_000) everybody.resolve();
        await everybody.promise;
        return { status: 200, body: null };
      },
    };
    const listener = await listen(endpoint, { host: "127.0.0.1", port: 0 });
    const client = createServerClient({ addressOf: () => ({ url: `http://127.0.0.1:${listener.port}`, h2c: true }) });
    await Promise.all(Array.from({ length: 10_000 }, () => client.call("s", { kind: "tool", path: "/", body: {} })));
    expect(client.stats()).toEqual({ s: { calls: 10_000, inFlight: 0, waiting: 0, pausing: 0, retries: 0, errors: 0 } });
    await client[Symbol.asyncDispose]();
    await listener.close(0);
  });
});

/** How often the blocks of our own code run while `job` does: the same on every machine, but for a few that the order of events decides. */
async function steps(job: () => Promise<unknown>): Promise<number> {
  using session = Object.assign(new Session(), { [Symbol.dispose]: () => session.disconnect() });
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  await job();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  await session.post("Profiler.stopPreciseCoverage");
  const ours = result.filter(({ url }) => /core\/src\/(http|work)\//.test(url));
  expect(ours.length).toBeGreaterThan(10);
  return ours
    .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)))
    .reduce((sum, count) => sum + count, 0);
}

describe("the work of a call does not grow with the queue", () => {
  test.each<[string, Concurrency | undefined, number]>([
    ["for a connection", undefined, 2],
    ["for a fixed limit", 2, 16_000],
    ["for an adaptive limit", "adaptive", 16_000],
  ])("that waits %s", { timeout: 60_000 }, async (_, concurrency, maxConnectionsPerOrigin) => {
    await using server = await scriptedServer({ body: "1" });
    const wait = async (count: number): Promise<number> => {
      await using client = createServerClient({
        addressOf: () => ({ url: server.url }),
        limits: { maxConnectionsPerOrigin, maxAdaptiveCalls: 20 },
      });
      const target = { name: "u", url: server.url, concurrency };
      await all(1, client, target);
      return await steps(() => all(count, client, target));
    };
    const [few, many] = [await wait(600), await wait(4_800)];
    // Eight times the calls: eight times the work, where a search through those that wait would make it sixty-four times.
    expect(many / few).toBeGreaterThan(5);
    expect(many / few).toBeLessThan(10);
  });
});
