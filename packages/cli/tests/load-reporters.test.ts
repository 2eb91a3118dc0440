/** How the load of a run reads: the tables of ng-status, the progress line, the lines of servers. */
import type { NamedHostStatus, TargetLoad } from "@ng-gym/core/head";
import type { CollectEvent } from "@ng-gym/core/rollouts";
import type { HostEvent } from "@ng-gym/core/servers";
import { describe, expect, test } from "vitest";
import { followCollection, followServers, mergedTargets, statusText } from "../src/reporters/index.ts";
import { fakeTerminal } from "./fake-terminal.ts";

const MB = 1024 * 1024;
const target = (load: Partial<TargetLoad> = {}): TargetLoad => ({ calls: 10, inFlight: 2, waiting: 1, retries: 3, errors: 0, ...load });
const host = (pid: number, targets: Record<string, TargetLoad>): NamedHostStatus => ({
  pid,
  hosting: "shared",
  names: ["mcqa"],
  load: {
    cpuSeconds: 90,
    rssBytes: 130 * MB,
    heapBytes: 1536 * MB,
    eventLoopLagMs: { p50: 0.2, p99: 12.4, max: 80 },
    descriptors: 31,
    descriptorLimit: 20_000,
  },
  servers: [],
  targets,
});

describe("ng-status", () => {
  const row = {
    config_path: "mcqa",
    server_type: "resources_servers",
    name: "mcqa",
    url: "http://127.0.0.1:12001",
    pid: 7,
    hosting: "shared",
    status: "success" as const,
    uptime_seconds: 12,
  };
  const view = { servers: [row], hosts: [], waiting: [], head: "http://h:1", now: 1_000_000 };
  const load = { pids: [7], in_flight: 4, handled: 1_234, failed: 2, queued: 9 };
  const cells = (line: string | undefined): string[] => (line ?? "").trim().split(/\s{2,}/);

  test("servers with what they are at, what is called, and what processes cost", () => {
    const circuit = { state: "open" as const, reason: "401 no such key", since: 1, nextTrial: 1_040_000 };
    const targets = {
      policy_model: target({ pausing: 16, lastRefusal: 429, limit: { kind: "adaptive", current: 12, max: 64 }, circuit }),
      mcqa: target(),
    };
    const lines = statusText({ ...view, servers: [{ ...row, load }], hosts: [host(7, targets)] }).split("\n");
    const mcqa = ["mcqa", "resources_servers/mcqa", "http://127.0.0.1:12001", "7 shared", "12 s", "healthy", "4", "1234", "2", "9"];
    expect(cells(lines[0])).toEqual(["server", "kind", "address", "process", "up", "state", "in flight", "handled", "failed", "queued"]);
    expect(cells(lines[1])).toEqual(mcqa);
    expect(cells(lines[3])).toEqual(["calls to", "calls", "in flight", "waiting", "pausing", "retries", "errors", "limit", "circuit"]);
    expect(cells(lines[4])).toEqual([
      "policy_model",
      "10",
      "2",
      "1",
      "16 (429)",
      "3",
      "0",
      "adaptive 12",
      "OPEN, next trial in 40 s: 401 no such key",
    ]);
    expect(cells(lines[5])).toEqual(["mcqa", "10", "2", "1", "-", "3", "0", "-", "-"]);
    expect(cells(lines[8])).toEqual(["7", "shared", "1 min 30 s", "130 MB", "1.5 GB", "0/12/80 ms", "31 of 20000"]);
    expect(lines.slice(-2)).toEqual(["1 healthy, 0 unhealthy", ""]);
  });

  test("copies of a server are one line; a process that is silent is named; restarts are told where there can be any", () => {
    const text = statusText({
      ...view,
      servers: [{ ...row, restarts: 1, load: { pids: [7, 8], in_flight: null, handled: null, failed: null, queued: null } }],
      hosts: [{ pid: 8, hosting: "process", names: ["mcqa"], servers: [], targets: {}, silent: true }],
    });
    expect(text).toMatch(/ 2 copies: 7 8 shared .* healthy +\? +\? +\? +\? +1\n/);
    expect(text).toMatch(/^ +server.* restarts\n/);
    expect(text).toMatch(/^ +8 +process .* does not answer /m);
  });

  test("a server that tells no load, as one in Python, has its restarts told", () => {
    expect(statusText({ ...view, servers: [{ ...row, restarts: 2 }] })).toMatch(/ restarts\n.* healthy +2\n/);
  });

  test("a head server that tells no load, as NeMo Gym's, shows as before", () => {
    const lines = statusText(view).split("\n");
    expect(cells(lines[0])).toEqual(["server", "kind", "address", "process", "up", "state"]);
    expect(cells(lines[1])).toEqual(["mcqa", "resources_servers/mcqa", "http://127.0.0.1:12001", "7 shared", "12 s", "healthy"]);
    expect(lines.slice(2)).toEqual(["", "1 healthy, 0 unhealthy", ""]);
  });

  test("servers that are starting are named", () => {
    expect(statusText({ ...view, servers: [], waiting: ["mcqa", "judge"] })).toMatch(
      /http:\/\/h:1 are starting; not ready yet: mcqa, judge\n$/,
    );
  });

  test("counts and limits of one target add up over processes; its worst circuit is told", () => {
    const limit = (current: number) => ({ kind: "fixed" as const, current });
    const merged = mergedTargets([
      host(1, { m: target({ pausing: 2, lastRefusal: 429, limit: limit(8), circuit: { state: "closed" } }) }),
      host(2, { m: target({ limit: limit(4), circuit: { state: "open", reason: "403" } }), other: target() }),
    ]);
    expect([...merged.keys()]).toEqual(["m", "other"]);
    expect(merged.get("m")).toEqual({
      ...{ calls: 20, inFlight: 4, waiting: 2, pausing: 2, retries: 6, lastRefusal: 429, errors: 0 },
      limit: limit(12),
      circuit: { state: "open", reason: "403" },
    });
  });
});

describe("progress of a collection", () => {
  const progress = (change: object = {}): CollectEvent => ({
    ...{ type: "progress", done: 5, total: 10, scored: 5, failed: 0, masked: 0, inFlight: 3, oldestInFlightS: 2 },
    ...{ rate: 2.5, etaS: 2, elapsedS: 2, meanReward: 0.25 },
    ...change,
  });
  const shown = (targets: Record<string, TargetLoad>, change: object = {}): string => {
    const terminal = fakeTerminal({ tty: true, columns: 400 });
    const follow = followCollection(terminal);
    follow({ type: "load", targets: new Map(Object.entries(targets)) });
    follow(progress(change));
    return terminal.stderr.split("in flight, ")[1] ?? "";
  };

  test("tells an adaptive limit, a fixed one that makes calls wait, and an endpoint that refuses", () => {
    const calm = { waiting: 0, retries: 0 };
    const adaptive = { limit: { kind: "adaptive" as const, current: 12 }, ...calm };
    const fixed = { limit: { kind: "fixed" as const, current: 64 }, ...calm };
    expect(shown({ m: target({ ...adaptive, waiting: 40, retries: 3 }) })).toBe("oldest 2.0 s | m: limit 12, 40 wait, 3 sent again");
    expect(shown({ m: target(adaptive) })).toBe("oldest 2.0 s | m: limit 12");
    expect(shown({ m: target({ ...fixed, waiting: 1 }) })).toBe("oldest 2.0 s | m: limit 64, 1 wait");
    expect(shown({ m: target(fixed), mcqa: target(calm) })).toBe("oldest 2.0 s");
    expect(shown({ m: target({ circuit: { state: "open", reason: "401: no\nsuch key" } }) })).toBe(
      "oldest 2.0 s | m refuses: 401: no such key",
    );
  });

  test("tells once that calls of an endpoint are sent again, but not what earlier collections had", () => {
    const terminal = fakeTerminal({ tty: false, columns: 400 });
    const follow = followCollection(terminal);
    for (const retries of [5, 5, 6, 9]) follow({ type: "load", targets: new Map([["m", target({ retries })]]) });
    follow({ type: "load", targets: new Map([["late", target({ retries: 1 })]]) });
    expect(terminal.stderr.split("\n").filter((line) => line.includes("sent again"))).toEqual([
      "calls of m are being sent again; the lines of ng-run say why",
      "calls of late are being sent again; the lines of ng-run say why",
    ]);
  });

  test("names the rollouts that are out long, and where they are", () => {
    const oldest = [
      { rollout: "3-1", server: "front", ageS: 903 },
      { rollout: undefined, server: "front", ageS: 60 },
      { rollout: "9-0", server: "front", ageS: 19 },
    ];
    expect(shown({}, { oldest, oldestInFlightS: 903 })).toBe("oldest 3-1 at front 15 min 03 s, ? at front 1 min 00 s");
  });
});

describe("lines of servers", () => {
  const entry = { time: "2026-01-01T00:00:00.000Z", level: "error" as const, server: "mcqa", request: "r1", message: "no" };
  const events: HostEvent[] = [
    { type: "log", server: "mcqa", line: "error: no (request r1)\n  at x", stream: "stderr", entry },
    { type: "log", server: "mcqa", line: "printed\u001b[31m", stream: "stdout" },
  ];

  test("for people each line names its server", () => {
    const terminal = fakeTerminal();
    for (const event of events) followServers(terminal)(event);
    expect(terminal.stderr).toBe("[mcqa] error: no (request r1)\n[mcqa]   at x\n[mcqa] printed\\u001b[31m\n");
  });

  test("log_format json: each line is one object, also what a server printed by itself", () => {
    const terminal = fakeTerminal();
    const follow = followServers(terminal);
    const stopping = { type: "stopping", reason: "interrupted" } as const;
    for (const event of [{ type: "logging", format: "json" } as const, ...events, stopping]) follow(event);
    const [logged, printed, own, end] = terminal.stderr.split("\n");
    expect(JSON.parse(logged ?? "")).toEqual(entry);
    expect(JSON.parse(printed ?? "")).toEqual({ time: expect.any(String), server: "mcqa", stream: "stdout", message: "printed\u001b[31m" });
    expect(JSON.parse(own ?? "")).toMatchObject({ level: "info", server: "ng-run", message: "stopping servers: interrupted" });
    expect(end).toBe("");
  });
});
