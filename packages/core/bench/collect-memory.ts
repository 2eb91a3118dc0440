/**
 * Collects many rows from an endpoint in this process and prints rollouts/s, CPU and memory. Run it under a small heap:
 *
 *   node --max-old-space-size=256 packages/core/bench/collect-memory.ts [rows] [delay ms] [tasks] [baseline|post]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createServerClient, type Endpoint } from "../src/http/index.ts";
import { aggregateMetrics } from "../src/metrics/index.ts";
import { collectRollouts, parseCollectParameters } from "../src/rollouts/index.ts";

const [rows = 100_000, delayMs = 0, tasks = rows] = process.argv.slice(2, 5).map(Number);
const aggregation = process.argv[5] === "post" ? "post" : "baseline";
const folder = mkdtempSync(join(tmpdir(), "ng-bench-"));
const text = "A short question about nothing in particular, with four options to choose from. ".repeat(6);
const response = {
  id: "resp",
  output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: text.repeat(3), annotations: [] }] }],
  usage: { input_tokens: 120, output_tokens: 80, total_tokens: 200 },
};
let most = 0;
let flying = 0;
const env: Endpoint = {
  async handle(request) {
    if (request.path === "/aggregate_metrics")
      return { status: 200, body: aggregateMetrics((request.body as { verify_responses: Record<string, unknown>[] }).verify_responses) };
    most = Math.max(most, ++flying);
    if (delayMs > 0) await pause(delayMs);
    else await null;
    flying--;
    return {
      status: 200,
      body: { ...(request.body as object), response, reward: Math.random() < 0.5 ? 1 : 0, extracted_answer: "A", expected_answer: "B" },
    };
  },
};

try {
  let lines = "";
  for (let n = 0; n < tasks; n++)
    lines += `${JSON.stringify({ responses_create_params: { input: `${n} ${text}` }, agent_ref: { name: "a" }, options: [{ A: "one" }, { B: "two" }], expected_answer: "A", uuid: `row-${n}` })}\n`;
  await writeFile(join(folder, "in.jsonl"), lines);
  lines = "";
  const { parameters } = parseCollectParameters({
    input_jsonl_fpath: join(folder, "in.jsonl"),
    output_jsonl_fpath: join(folder, "r.jsonl"),
    num_repeats: Math.ceil(rows / tasks),
  });
  const config = {
    env: { environment_servers: { legacy_agent: { agent_server: { type: "responses_api_agents", name: "a" } } } },
    a: { responses_api_agents: { simple_agent: {} } },
  };
  await using client = createServerClient({ addressOf: () => ({ url: "" }), local: new Map([["env", env]]) });
  let peakHeap = 0;
  let peakRss = 0;
  const phases: string[] = [];
  const began = performance.now();
  const sample = () => {
    const { heapUsed, rss } = process.memoryUsage();
    peakHeap = Math.max(peakHeap, heapUsed);
    peakRss = Math.max(peakRss, rss);
  };
  const watch = setInterval(sample, 50);
  const cpu = process.cpuUsage();
  const result = await collectRollouts({
    client,
    servers: { config, instances: [{ name: "env", aggregation }] },
    parameters,
    onEvent: (event) => {
      sample();
      if (event.type !== "progress") phases.push(`${event.type} ${((performance.now() - began) / 1000).toFixed(1)} s`);
    },
  });
  clearInterval(watch);
  const used = process.cpuUsage(cpu);
  const mb = (bytes: number) => Math.round(bytes / 1048576);
  process.stdout.write(
    `${JSON.stringify({ rows: result.summary.expected, scored: result.summary.scored, exit: result.exitCode, problem: result.problem?.message, most_in_flight: most, per_s: Math.round(rows / result.summary.run.elapsedS), cpu_ms_per_rollout: (used.user + used.system) / 1000 / rows, peak_heap_mb: mb(peakHeap), peak_rss_mb: mb(peakRss), phases: phases.filter((phase) => !phase.startsWith("notice")) })}\n`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
