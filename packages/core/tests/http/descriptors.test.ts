/** A client that runs out of descriptors makes its calls wait. In processes that have 256 of them. */
import { fileURLToPath } from "node:url";
import { runCommand } from "@ng-gym/testing";
import { describe, expect, test } from "vitest";
import { createDescriptorPool } from "../../src/http/descriptors.ts";
import { scriptedServer } from "./scripted-server.ts";

const PROGRAM = fileURLToPath(new URL("fixtures/few-descriptors.ts", import.meta.url));

async function withFewDescriptors(task: string, url: string): Promise<Record<string, unknown>> {
  const { exitCode, stdout, stderr } = await runCommand([
    "sh",
    "-c",
    `ulimit -n 256; exec "$0" "$@"`,
    process.execPath,
    PROGRAM,
    task,
    url,
  ]);
  expect(exitCode, stderr).toBe(0);
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe("a process with 256 descriptors", () => {
  test("makes 1,000 calls at once: each succeeds, each is made once, and files can be opened meanwhile", async () => {
    await using server = await scriptedServer((_, response) => void setTimeout(() => response.end("{}"), 100));
    const told = await withFewDescriptors("storm", server.url);
    expect(told).toEqual({
      outcomes: { 200: 1_000 },
      files: 20,
      stats: { calls: 1_000, inFlight: 0, waiting: 0, pausing: 0, retries: 0, errors: 0 },
    });
    expect(server.received).toHaveLength(1_000);
    expect(server.connections()).toBeGreaterThan(100);
    expect(server.connections()).toBeLessThanOrEqual(192);
  });

  test("closes idle connections to one origin where another needs them", async () => {
    await using server = await scriptedServer({});
    expect(await withFewDescriptors("second", server.url)).toEqual({ first: { 200: 500 }, second: { 200: 500 } });
    expect(server.received).toHaveLength(1_000);
  });

  test("has none at all for a moment: a call with a single attempt waits, and is made once", async () => {
    await using server = await scriptedServer({ headers: { connection: "close" } });
    expect(await withFewDescriptors("shortage", server.url)).toEqual({ outcomes: { 200: 1 }, reasons: ["local_resource"], left: 0 });
    expect(server.received).toHaveLength(2);
  });
});

describe("the pool", () => {
  const poolOf = (use: { limit: number | undefined; open: number }, options: { reserve?: number; maxConnections?: number } = {}) =>
    createDescriptorPool({
      reserve: 100,
      maxConnections: Number.POSITIVE_INFINITY,
      ...options,
      use: { limit: use.limit, open: () => use.open },
    });
  const takeAll = (pool: ReturnType<typeof poolOf>, use?: { open: number }): number => {
    let taken = 0;
    for (; taken < 100_000 && pool.tryTake(false); taken++) if (use) use.open++;
    return taken;
  };

  test("16,000 connections are within 20,000 descriptors", () => {
    expect(takeAll(poolOf({ limit: 20_000, open: 50 }, { reserve: 1_024 }))).toBeGreaterThanOrEqual(16_000);
  });

  test("leaves the reserve, and what is open already", () => {
    expect(takeAll(poolOf({ limit: 1_000, open: 300 }))).toBe(600);
  });

  test("a small process keeps a quarter free", () => {
    expect(takeAll(poolOf({ limit: 64, open: 10 }))).toBe(38);
  });

  test("a system that tells no limit sets none; the cap holds", () => {
    expect(takeAll(poolOf({ limit: undefined, open: 0 }, { maxConnections: 5_000 }))).toBe(5_000);
  });

  test("sees what others open and close", () => {
    const use = { limit: 1_000, open: 100 };
    const pool = poolOf(use);
    expect(pool.tryTake(false)).toBe(true);
    use.open += 701;
    // Half of what was free at first is promised, and looked at no sooner than it is used up, or found to be wrong.
    pool.shortage();
    expect(takeAll(pool, use)).toBe(99);
    use.open -= 500;
    expect(takeAll(pool, use)).toBe(500);
  });

  test("an origin without any connection has its first one in any case", () => {
    const pool = poolOf({ limit: 64, open: 60 });
    expect(pool.tryTake(false)).toBe(false);
    expect(pool.tryTake(true)).toBe(true);
  });

  test("gives in order, to those that still want one", () => {
    const pool = poolOf({ limit: undefined, open: 0 }, { maxConnections: 1 });
    const given: string[] = [];
    const want = (name: string, wanted = true): (() => void) =>
      pool.want(() => {
        if (wanted) given.push(name);
        return wanted;
      });
    pool.tryTake(false);
    want("no more", false);
    const leave = want("left");
    want("first");
    want("second");
    leave();
    expect(pool.tryTake(false), "who comes later does not pass").toBe(false);
    pool.give();
    expect(given).toEqual(["first"]);
    pool.give();
    expect(given).toEqual(["first", "second"]);
    pool.close();
  });
});
