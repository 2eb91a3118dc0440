import { startFakeUpstream, type Step } from "@ng-gym/testing";
import { test } from "vitest";
import { openScene } from "./scene.ts";

const R = "/v1/responses";
const cases: [string, Step][] = [
  ["500", { status: 500, json: { error: { message: "kaputt" } } }],
  ["401", { status: 401, json: { error: { message: "Incorrect API key provided: sk-of****test", code: "invalid_api_key" } } }],
  ["401b", { status: 401, text: "Unauthorized" }],
  ["reset", { reset: true }],
  ["html", { status: 200, type: "text/html", text: "<html><body>Sign in</body></html>" }],
  ["cut", { json: { a: 1 }, cut: true }],
  ["notjson", { type: "application/json", text: '{"id": ' }],
  ["list", { json: [] }],
  ["empty", { text: "" }],
  ["nulls", { json: { output: null } }],
];
test.each(cases)("%s", async (name, step) => {
  await using up = await startFakeUpstream({ scripts: { [R]: [step] } });
  await using scene = await openScene({ upstream: up.url });
  const t = performance.now();
  const r = await scene.collect();
  const rows = await scene.rows("r_failures.jsonl");
  const f = Object.fromEntries(Object.entries(rows[0] ?? {}).filter(([k]) => /fail/.test(k)));
  process.stdout.write(`\n=== ${name} exit ${r.exitCode} ${(performance.now() - t).toFixed(0)} ms, ${up.stats.requests} requests, ${rows.length} failed\n${r.stderr}\n${JSON.stringify(f, null, 1)}\n--run:\n${scene.servers.stderr.slice(0,600)}\n`);
});
