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
