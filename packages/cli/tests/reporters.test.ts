/** What people read, from plain data. */
import { GymError } from "@ng-gym/core/errors";
import type { CollectEvent, RunSummary } from "@ng-gym/core/rollouts";
import type { HostEvent } from "@ng-gym/core/servers";
import { describe, expect, test } from "vitest";
import { duration, percent } from "../src/reporters/format.ts";
import {
  defectText,
  failureJson,
  failureText,
  followCollection,
  followServers,
  profileText,
  statusText,
  summaryText,
} from "../src/reporters/index.ts";
import { fakeTerminal } from "./fake-terminal.ts";

const PATHS = {
  rollouts: "out/r.jsonl",
  failures: "out/r_failures.jsonl",
  materialized: "out/r_materialized_inputs.jsonl",
  manifest: "out/r_manifest.json",
  metrics: "out/r_aggregate_metrics.json",
};

function summary(change: Partial<RunSummary> = {}): RunSummary {
  const rewards = {
    rollouts: 158,
    tasks: 40,
    meanReward: 0.5123,
    interval: { low: 0.44, high: 0.58, mean: 0.5123, level: 0.95 as const, clusters: 40 },
    passAtK: [
      { k: 1, value: 0.5123, tasks: 40, skippedTasks: 0 },
      { k: 4, value: 0.831, tasks: 38, skippedTasks: 2 },
    ],
  };
  return {
    expected: 160,
    scored: 158,
    failed: 2,
    missing: 0,
    withoutOutput: 0,
    masked: 0,
    unscored: 0,
    imputed: 0,
    coverage: 158 / 160,
    failures: [
      { failureClass: "agent_run_error", failureKind: "transport_timeout", count: 2, example: "policy_model took longer than 10 s" },
    ],
    groups: [
      {
        ...rewards,
        label: "mcqa_simple_agent",
        environmentServer: "mcqa_environment_server",
        expected: 160,
        scored: 158,
        failed: 2,
        missing: 0,
        masked: 0,
      },
    ],
    overall: rewards,
    latency: { count: 160, median: 0.2, p90: 1.5, p99: 3, max: 61 },
    run: { dispatched: 160, cached: 0, drained: 0, unresolved: 0, elapsedS: 12.3, interrupted: false },
    simulated: [],
    paths: PATHS,
    archived: [],
    droppedTail: [],
    ...change,
  };
}

describe("final table", () => {
  test("states expected, scored, failed, missing, coverage, the mean with its interval, pass@k with tasks, latency and paths", () => {
    expect(summaryText(summary())).toBe(`  expected     160
  scored       158
  failed         2
  missing        0
  coverage  98.8 %

Failed, not part of any score:
  2 x agent_run_error (transport_timeout): policy_model took longer than 10 s

  agent              tasks  rollouts  mean reward   95 % interval            pass@1                  pass@4
  mcqa_simple_agent     40       158        0.512  0.440 to 0.580  0.512 (40 tasks)  0.831 (38 of 40 tasks)
  The interval is over tasks: repeats of one task count as one cluster.

  160 run in 12 s; a rollout takes 200 ms (median), 1.5 s (p90), 3.0 s (p99), 1 min 01 s (max)

  Incomplete: 2 of 160 rollouts are in no score; the same command with --resume runs those that have attempts left (NEMO_GYM_MAX_ROLLOUT_ATTEMPTS, 3 where unset).

Files:
  rollouts  out/r.jsonl
  failures  out/r_failures.jsonl
  inputs    out/r_materialized_inputs.jsonl
  metrics   out/r_aggregate_metrics.json
  manifest  out/r_manifest.json
`);
  });

  test("says how many scored rollouts hold nothing of a model", () => {
    expect(summaryText(summary({ withoutOutput: 3 }))).toMatch(/^ {2}3 of the scored rollouts hold no output of a model: /m);
    expect(summaryText(summary())).not.toContain("no output");
  });

  test("says that numbers are simulated", () => {
    expect(summaryText(summary({ simulated: ["policy_model"] }))).toMatch(/SIMULATED: policy_model is no model/);
    expect(summaryText(summary())).not.toMatch(/SIMULATED/);
  });

  test("several agents get a line each and one for all", () => {
    const one = summary().groups[0] as RunSummary["groups"][number];
    const text = summaryText(summary({ groups: [one, { ...one, label: "other_agent" }] }));
    expect(text).toMatch(/mcqa_simple_agent .*\n {2}other_agent .*\n {2}all /);
  });

  test("nothing scored has no rewards to show", () => {
    const text = summaryText(summary({ scored: 0, coverage: 0, failed: 160, latency: undefined }));
    expect(text).toMatch(/coverage +0 %/);
    expect(text).not.toMatch(/mean reward|pass@/);
  });

  test("an interrupted run says how to go on", () => {
    expect(summaryText(summary({ missing: 90, run: { ...summary().run, interrupted: true } }))).toMatch(/Interrupted: .*--resume/);
  });
});

test.each([
  [0.0004, "0 ms"],
  [0.2, "200 ms"],
  [0.9999, "1.0 s"],
  [9.99, "10 s"],
  [59.7, "1 min 00 s"],
  [61, "1 min 01 s"],
  [3725, "1 h 02 min"],
])("%d seconds read %s", (seconds, text) => expect(duration(seconds)).toBe(text));

test("a share is 100 % only when nothing is missing, and 0 % only when there is nothing", () => {
  expect([1, 0.99999, 0.5, 0.00001, 0].map(percent)).toEqual(["100 %", "99.9 %", "50 %", "0.1 %", "0 %"]);
});

const progress = (change: Partial<Extract<CollectEvent, { type: "progress" }>>): CollectEvent => ({
  type: "progress",
  done: 5,
  total: 10,
  scored: 4,
  failed: 1,
  masked: 0,
  inFlight: 3,
  oldestInFlightS: 2,
  rate: 2.5,
  etaS: 2,
  elapsedS: 2,
  meanReward: 0.25,
  ...change,
});

describe("progress of a collection", () => {
  test("a terminal shows one line with rate and ETA, cleared before anything else is written", () => {
    const terminal = fakeTerminal({ tty: true, columns: 200 });
    const follow = followCollection(terminal);
    follow(progress({}));
    follow(progress({ done: 6 }));
    follow({ type: "notice", code: "row_limit", message: "a remark" });
    const shown = "\r\u001b[2K";
    const line = (done: string, share: string, bar: string): string =>
      `[${bar}] ${done}/10 ${share} | failed 1 | 2.5/s | ETA 2.0 s | reward 0.250 | 3 in flight, oldest 2.0 s`;
    const second = line("6", "60 %", "############........");
    expect(terminal.stderr).toBe(`${shown}${line("5", "50 %", "##########..........")}${shown}${second}${shown}a remark\n${second}`);
    expect(terminal.stdout).toBe("");
  });

  test("a long line is cut to the width of the terminal", () => {
    const terminal = fakeTerminal({ tty: true, columns: 30 });
    followCollection(terminal)(progress({}));
    expect(terminal.stderr.replace("\r\u001b[2K", "").length).toBeLessThan(30);
  });

  test("elsewhere a plain line at most every ten seconds", () => {
    const terminal = fakeTerminal();
    const follow = followCollection(terminal);
    for (let second = 0; second < 60; second++) {
      follow(progress({ done: second, total: 60 }));
      terminal.advance(1000);
    }
    const lines = terminal.stderr.split("\n").filter((line) => line !== "");
    expect(lines).toHaveLength(5);
    expect(lines[0]).toBe("10/60 16.7 % | failed 1 | 2.5/s | ETA 2.0 s | reward 0.250 | 3 in flight, oldest 2.0 s");
  });

  test("retries of a server are told at once, then at a bounded rate", () => {
    const terminal = fakeTerminal();
    const follow = followCollection(terminal);
    for (let attempt = 1; attempt <= 50; attempt++)
      follow({ type: "retry-wait", server: "policy_model", attempt, delayS: 1, reason: "429" });
    follow({ type: "retry-wait", server: "judge", attempt: 1, delayS: 1, reason: "refused" });
    expect(terminal.stderr).toBe("waiting for policy_model: 429; try 2 in 1.0 s\nwaiting for judge: refused; try 2 in 1.0 s\n");
  });

  test("the first failure of a kind is explained", () => {
    const terminal = fakeTerminal();
    followCollection(terminal)({
      type: "failure",
      failureClass: "agent_run_error",
      failureKind: "transport_unreachable",
      boundary: "policy_model",
      message: "refused",
      hint: "Is it up?",
      key: [0, 0] as never,
    });
    expect(terminal.stderr).toBe("first agent_run_error (transport_unreachable) at policy_model: refused\n  Is it up?\n");
  });
});

describe("servers", () => {
  const instance = {
    config_path: "mcqa",
    server_type: "resources_servers",
    name: "mcqa",
    url: "http://127.0.0.1:12001",
    pid: 7,
    hosting: "shared" as const,
  };
  const waiting = (elapsedMs: number): HostEvent => ({ type: "waiting", ready: 1, total: 3, missing: ["mcqa", "policy_model"], elapsedMs });

  test("names who is missing at once, then at a bounded rate; the ready table is the result", () => {
    const terminal = fakeTerminal();
    const follow = followServers(terminal);
    for (let second = 0; second < 5; second++) {
      follow(waiting(second * 1000));
      terminal.advance(1000);
    }
    follow({
      type: "ready",
      head: { host: "127.0.0.1", port: 21000, url: "http://127.0.0.1:21000" },
      instances: [instance as never],
      elapsedMs: 800,
    });
    expect(terminal.stderr).toBe("waiting for 2 of 3 servers (0 ms): mcqa, policy_model\n");
    expect(terminal.stdout).toMatch(/^1 server ready in 800 ms; head server at http:\/\/127\.0\.0\.1:21000\n/);
    expect(terminal.stdout).toMatch(/mcqa +resources_servers\/mcqa +http:\/\/127\.0\.0\.1:12001 +7 shared/);
    expect(terminal.stdout).toContain("ng-collect-rollouts +head_server.port=21000;");
  });

  test("says which model endpoints do not answer, and which have no address", () => {
    const terminal = fakeTerminal();
    const follow = followServers(terminal);
    const endpoint = { shown: "http://127.0.0.1:9/v1", keys: ["policy_model.openai_base_url", "judge.base_url"] };
    follow({ type: "endpoint-unresolvable", endpoint: { shown: "http://nowhere.invalid", keys: ["judge.base_url"] } });
    follow({ type: "endpoints-waiting", endpoints: [endpoint], elapsedMs: 30_000, limit: { key: "limit_seconds", seconds: 600 } });
    expect(terminal.stderr).toBe(
      "http://nowhere.invalid (judge.base_url) cannot be resolved to an address; not waiting for it\n" +
        "waiting for 1 model endpoint (30 s, at most 600 s by limit_seconds), refused or without an answer so far: " +
        "http://127.0.0.1:9/v1 (policy_model.openai_base_url, judge.base_url)\n",
    );
  });

  test("a server that died is told in one line: what it printed was shown as it came", () => {
    const terminal = fakeTerminal();
    followServers(terminal)({ type: "died", server: "mcqa", exitCode: null, signal: "SIGKILL", lastLines: ["one", "two"] });
    expect(terminal.stderr).toBe("mcqa ended (SIGKILL)\n");
  });

  test("status counts the healthy", () => {
    const row = { ...instance, status: "success" as const, uptime_seconds: 12 };
    const idle = { hosts: [], waiting: [], head: "http://h:1", now: 0 };
    const servers = [row, { ...row, config_path: "x", status: "timeout" as const, uptime_seconds: null }];
    expect(statusText({ ...idle, servers })).toMatch(/1 healthy, 1 unhealthy/);
    expect(statusText({ ...idle, servers: [] })).toBe("No servers are running behind http://h:1.\n");
  });
});

describe("errors", () => {
  const error = new GymError("NG_ERR_USAGE", "no value for --input", {
    hint: "Write --input FILE.",
    details: { usage: "ng-x [options]", key: "k" },
  });
  test("text: usage, message, what to do, code", () => {
    expect(failureText(error)).toBe("usage: ng-x [options]\nError: no value for --input\n  Write --input FILE.\n  [NG_ERR_USAGE]\n");
  });
  test("JSON: one line", () => {
    expect(JSON.parse(failureJson(error))).toEqual({
      error: {
        code: "NG_ERR_USAGE",
        message: "no value for --input",
        hint: "Write --input FILE.",
        exit_code: 2,
        details: { usage: "ng-x [options]", key: "k" },
      },
    });
  });
  test("a defect has no stack unless it is asked for", () => {
    const defect = new TypeError("x is not a function");
    expect(defectText(defect, false)).toMatch(/^Error: unexpected: TypeError: x is not a function\n.*NG_DEBUG=1/);
    expect(defectText(defect, false)).not.toMatch(/ at /);
    expect(defectText(defect, true)).toMatch(/reporters\.test\.ts/);
  });
});

test("a profile says what it covers and where it is", () => {
  const text = profileText({
    completed: 9,
    expected: 12,
    completionPct: 75,
    masked: 1,
    failed: 0,
    tasks: { total: 4, complete: 2, partial: 1, missing: 1 },
    paths: { profile: "p", agentMetrics: "a", repeatLevelMetrics: "r" },
  });
  expect(text).toMatch(/rollouts +9 of 12 \(75 %\)/);
  expect(text).toMatch(/by repeat +r\n$/);
});
