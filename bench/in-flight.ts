/**
 * Many rollouts at once through the commands as users run them, against the fake endpoint of the comparison benches (a small C program that holds
 * tens of thousands of calls): what all our processes hold at their peak, how many calls were really open, and how soon the first one was.
 *
 *   node bench/in-flight.ts --upstream PATH/fake-upstream [--sizes 1000,4000] [--latency-ms 20000] [--tools 0] [--hosts 1] [--ports 1] [--workers 4] [--run WORD ...]
 *
 * One port takes about 28,000 connections from one machine: with `--ports n` the endpoint has n addresses, and the model server spreads its sessions over them.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startCommand, tempProject } from "@ng-gym/testing";
import { type EndpointStats, startEndpoint } from "./in-flight/endpoint.ts";
import { memoryOf, peakMemory } from "./in-flight/memory.ts";
import { configOf, rowsOf } from "./in-flight/project.ts";
import { type Case, header, lineOf } from "./in-flight/table.ts";

const { values } = parseArgs({
  options: {
    upstream: { type: "string" },
    sizes: { type: "string", default: "1000,4000" },
    "latency-ms": { type: "string", default: "20000" },
    tools: { type: "string", default: "0" },
    hosts: { type: "string", default: "1" },
    ports: { type: "string", default: "1" },
    workers: { type: "string", default: "4" },
    run: { type: "string", multiple: true, default: [] },
  },
});
const BIN = fileURLToPath(new URL("../node_modules/.bin/", import.meta.url));
const LATENCY_S = Number(values["latency-ms"]) / 1000;
const TURNS = Number(values.tools) + 1;
const PORTS = Number(values.ports);
const LIMIT_MS = 1_800_000;
const LOOK_MS = 25;

async function measure(rollouts: number): Promise<Case> {
  if (values.upstream === undefined) throw new Error("--upstream names the built fake-upstream program");
  await using endpoint = await startEndpoint({
    program: values.upstream,
    ports: PORTS,
    workers: Number(values.workers),
    latencyMs: Number(values["latency-ms"]),
    toolCalls: Number(values.tools),
  });
  await using project = await tempProject({
    "bench.yaml": configOf(endpoint.urls),
    "env.yaml": { policy_api_key: "sk-bench", policy_model_name: "fake" },
    "in.jsonl": rowsOf(rollouts),
  });
  const options = { cwd: project.path, env: { HOME: project.path, TMPDIR: project.path } };
  const run = ["+config_paths=[bench.yaml]", "+head_server.port=0", `+num_hosts=${values.hosts}`, ...values.run];
  await using servers = startCommand([`${BIN}ng-run`, ...run], options);
  const [, head = ""] = await servers.waitForLine(/head server at http:\/\/127\.0\.0\.1:(\d+)/, 120_000);
  await servers.waitForLine(/Ctrl-C stops/, 120_000);

  await endpoint.reset();
  const began = performance.now();
  const words = ["-i", "in.jsonl", "-o", "out/r.jsonl", `+head_server.port=${head}`, "--json"];
  await using collection = startCommand([`${BIN}ng-collect-rollouts`, ...words], { ...options, timeoutMs: LIMIT_MS });
  const firstRequest = watchFirst(endpoint.stats, began);
  const planned = collection.waitForLine(/rollouts?, \d+ to run/, LIMIT_MS).then(() => performance.now() - began);
  const peak = peakMemory(() => [...servers.tree(), ...collection.tree()].map(({ pid }) => pid));
  const ended = await collection.exited;
  const wallS = (performance.now() - began) / 1000;
  const serversMb = memoryOf(servers.tree().map(({ pid }) => pid)).peakMb;
  const allMb = peak.stop();
  const stats = await endpoint.stats();
  const summary = JSON.parse(ended.stdout) as Record<"scored" | "failed" | "missing", number>;
  servers.kill("SIGINT");
  await servers.exited;
  return {
    rollouts,
    scored: summary.scored,
    failed: summary.failed,
    missing: summary.missing,
    mostOpen: stats.max_open_calls,
    callsEach: stats.requests / rollouts,
    endpointErrors: stats.errors + stats.dropped + stats.refused_fd,
    firstRequestMs: await firstRequest,
    plannedMs: await planned,
    beyondWaitS: wallS - TURNS * LATENCY_S,
    serversMb,
    collectorMb: allMb - serversMb,
  };
}

/** Milliseconds until the endpoint was asked first. */
async function watchFirst(stats: () => Promise<EndpointStats>, began: number): Promise<number> {
  while ((await stats()).requests === 0) {
    if (performance.now() - began > LIMIT_MS) return Number.NaN;
    await sleep(LOOK_MS);
  }
  return performance.now() - began;
}

process.stdout.write(
  `${values.hosts} hosts; ${PORTS} addresses of the endpoint, which waits ${LATENCY_S} s, ${TURNS} calls a rollout\n${header()}\n`,
);
for (const size of values.sizes.split(",").map(Number)) {
  const result = await measure(size);
  process.stdout.write(`${lineOf(result)}\n`);
  if (result.scored !== size) process.exitCode = 1;
}
