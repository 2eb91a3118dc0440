import { expect, test } from "vitest";
import { createRetryLog, RETRY_LOG_MS } from "../../src/servers/hosting/retry-log.ts";

test("the first wait of a target is told at once, then one now and then with the count of those between", () => {
  let time = 0;
  const lines: string[] = [];
  const told = createRetryLog(
    (_server, line) => lines.push(line),
    () => time,
  );
  const notice = { server: "model", url: "http://h/v1", reason: "peer_drop", attempt: 1, delayMs: 250 };
  for (let call = 0; call < 100; call++) told(notice);
  told({ ...notice, server: "other" });
  time = RETRY_LOG_MS;
  told({ ...notice, attempt: 2 });
  told(notice);
  expect(lines).toEqual([
    "model at http://h/v1: peer drop; try 2 in 0.3 s",
    "other at http://h/v1: peer drop; try 2 in 0.3 s",
    "model at http://h/v1: peer drop; try 3 in 0.3 s (and 99 more calls waited since the last line)",
  ]);
});

test("a line holds the beginning of what the endpoint said, and when the call is given up", () => {
  const lines: string[] = [];
  const told = createRetryLog((_server, line) => lines.push(line));
  const said = `{"error":\n  "too many"} Bearer abcdefghijklmnopqrstuvwxyz ${"x".repeat(500)}`;
  told({ server: "m", url: "http://h/v1", reason: "status 429", status: 429, said, giveUpAfterMs: 600_000, attempt: 1, delayMs: 1_000 });
  expect(lines[0]).toMatch(
    /^m at http:\/\/h\/v1: status 429 \(\{"error": "too many"\} .*x…\); try 2 in 1\.0 s, given up 600 s after the first$/,
  );
  expect(lines[0]).not.toContain("abcdefghij");
  expect(lines[0]?.length).toBeLessThan(320);
});
