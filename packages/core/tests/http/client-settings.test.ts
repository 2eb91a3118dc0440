/** The client as a configuration sets it: each key moves what it names, and nothing else. */
import { describe, expect, test } from "vitest";
import { HTTP_LIMIT_KEYS, HTTP_RETRY_KEYS } from "../../src/config/index.ts";
import { CLIENT_LIMITS, clientSettings, DEFAULT_RETRY_POLICY } from "../../src/http/index.ts";

const settings = (values: Record<string, unknown>) => clientSettings((key) => values[key]);

test("the defaults are those of the retry table and the time-outs", () => {
  expect(settings({})).toEqual({ limits: CLIENT_LIMITS, policy: DEFAULT_RETRY_POLICY });
  expect(CLIENT_LIMITS).toMatchObject({
    connectTimeoutMs: 10_000,
    modelTimeoutMs: 3_600_000,
    toolTimeoutMs: 600_000,
    verifyTimeoutMs: 600_000,
    runTimeoutMs: 0,
    maxConnectionsPerOrigin: 16_000,
    maxConnections: Number.POSITIVE_INFINITY,
  });
  const unlimited = Number.POSITIVE_INFINITY;
  expect(DEFAULT_RETRY_POLICY).toEqual({
    transport: {
      unreachable: { attempts: 3, withinMs: 10_000 },
      peer_drop: { attempts: 5, withinMs: 60_000 },
      timeout: { attempts: 1, withinMs: 0 },
      local_resource: { attempts: unlimited, withinMs: 120_000 },
    },
    busyStatus: { attempts: unlimited, withinMs: 600_000 },
    serverStatus: { attempts: 3, withinMs: 600_000 },
    retryStatuses: [],
    maxAttempts: undefined,
    baseDelayMs: 500,
    maxDelayMs: 30_000,
    maxRetryAfterMs: 600_000,
  });
});

/** Paths of the numbers in which two objects differ. */
function differences(a: object, b: object): string[] {
  return Object.entries(a).flatMap(([key, value]) => {
    const other = (b as Record<string, unknown>)[key];
    if (typeof value === "object" && value !== null) return differences(value, other as object).map((path) => `${key}.${path}`);
    return value === other ? [] : [key];
  });
}

test.each(Object.keys(HTTP_LIMIT_KEYS))("%s moves its own limit", (key) => {
  const { limits, policy } = settings({ [key]: 1_234 });
  const changed = differences(limits, CLIENT_LIMITS);
  expect(changed.map((name) => `http_${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`)).toEqual([key]);
  expect(limits[changed[0] as keyof typeof limits]).toBe(1_234);
  expect(policy).toEqual(DEFAULT_RETRY_POLICY);
});

test("each key of the retry policy moves a number of its own", () => {
  const moved = Object.keys(HTTP_RETRY_KEYS).map((key) => {
    const { limits, policy } = settings({ [key]: "1_234" });
    expect(limits).toEqual(CLIENT_LIMITS);
    const changed = differences(policy, DEFAULT_RETRY_POLICY);
    expect(changed, key).toHaveLength(1);
    return changed[0];
  });
  expect(new Set(moved).size).toBe(moved.length);
});

describe("the caps of the reference", () => {
  test.each([
    [{ global_aiohttp_connector_limit: 500, global_aiohttp_connector_limit_per_host: 50 }, 500, 50],
    [
      { global_aiohttp_connector_limit: 0, global_aiohttp_connector_limit_per_host: "0" },
      Number.POSITIVE_INFINITY,
      Number.POSITIVE_INFINITY,
    ],
    [{ global_aiohttp_connector_limit: 500, http_max_connections: 7 }, 7, 16_000],
    [{ global_aiohttp_connector_limit_per_host: 50, http_max_connections_per_origin: 7 }, Number.POSITIVE_INFINITY, 7],
  ])("%j", (values, maxConnections, maxConnectionsPerOrigin) => {
    expect(settings(values).limits).toMatchObject({ maxConnections, maxConnectionsPerOrigin });
  });
});
