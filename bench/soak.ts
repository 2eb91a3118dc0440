/**
 * A long collection against an endpoint with faults, through the commands as users run them. One process a server; in the middle the agent is killed and
 * started anew. Prints one table; exits 1 where a count does not add up, memory grew, or something is left behind.
 *
 *   node bench/soak.ts [--minutes 15] [--concurrency 64] [--no-kill] [--keep]
 */
import { mkdir, readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type CommandResult, type RunningCommand, startCommand, type TempProject, tempProject } from "@ng-gym/testing";
import { type Check, checkCounts, checkLeft, checkMemory, type Summary } from "./soak/checks.ts";
import { type FaultyUpstream, startFaultyUpstream } from "./soak/faulty-upstream.ts";
import { askable, askableOf, descriptorsOf, type Figures, figuresOf } from "./soak/figures.ts";
import { report } from "./soak/report.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "15" },
    concurrency: { type: "string", default: "64" },
    "no-kill": { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
  },
});
const SECONDS = Number(values.minutes) * 60;
const CONCURRENCY = Number(values.concurrency);
const RATES = { reset: 0.05, busy: 0.05, broken: 0.02, silent: 0.01 };
const LATENCY_MS = [200, 1200] as const;
/** The caller's limit, which ends calls that are never answered. */
const MODEL_LIMIT_S = 15;
const TASKS = 500;
const AGENT = "mcqa_simple_agent";
const BIN = fileURLToPath(new URL("../node_modules/.bin/", import.meta.url));
/** Idle connections are closed after 15 s at most. */
const IDLE_MS = 20_000;

interface Instance {
  config_path: string;
  pid: number;
}

interface Soak {
  project: TempProject;
  upstream: FaultyUpstream;
  servers: RunningCommand;
  head: string;
  options: { cwd: string; env: Record<string, string | undefined> };
}

const say = (text: string): void => void process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);

function question(index: number): object {
  const content = `Question ${index}: which letter is right?\nA: no\nB: yes\nAnswer with \\boxed{X}.`;
  const input = [{ role: "user", content }];
  return { responses_create_params: { input }, options: [{ A: "no" }, { B: "yes" }], expected_answer: "B", task_source: "mcqa" };
}

async function instances({ head }: Soak): Promise<Instance[]> {
  return (await (await fetch(`http://127.0.0.1:${head}/server_instances`)).json()) as Instance[];
}

/** The processes of the run by what they are for. */
async function roles(soak: Soak): Promise<Map<string, number>> {
  const byPid = new Map<number, string>();
  for (const { config_path, pid } of await instances(soak)) byPid.set(pid, byPid.has(pid) ? `${byPid.get(pid)}+` : config_path);
  const tree = soak.servers.tree().map(({ pid }) => pid);
  const launcher = askableOf(tree, soak.project.file("figures")).find((pid) => !byPid.has(pid));
  return new Map([
    ...(launcher === undefined ? [] : [["launcher", launcher] as const]),
    ...[...byPid].map(([pid, name]) => [name, pid] as const),
  ]);
}

async function measured(soak: Soak): Promise<Map<string, Figures>> {
  const found = new Map<string, Figures>();
  for (const [role, pid] of await roles(soak)) {
    const figures = await figuresOf(pid, soak.project.file("figures"));
    if (figures !== undefined) found.set(role, figures);
  }
  return found;
}

function startCollection(soak: Soak, { seconds, name }: { seconds: number; name: string }): RunningCommand {
  // A call, its repeats, and the share of silent ones.
  const usual = (LATENCY_MS[0] + LATENCY_MS[1]) / 2000 + 2 * RATES.silent * MODEL_LIMIT_S;
  const repeats = Math.ceil(((seconds / usual) * CONCURRENCY) / TASKS) + 1;
  const words = ["-i", "in.jsonl", "-o", `out/${name}.jsonl`, `+head_server.port=${soak.head}`, "--concurrency", String(CONCURRENCY)];
  const more = [`--num-repeats=${repeats}`, `+dispatch_budget_s=${seconds}`, "--json"];
  return startCommand([`${BIN}ng-collect-rollouts`, ...words, ...more], soak.options);
}

async function ended(collection: RunningCommand): Promise<CommandResult & { summary: Summary }> {
  const result = await collection.exited;
  if (!result.stdout.startsWith("{")) throw new Error(`the collection gave no summary (exit ${result.exitCode}):\n${result.stderr}`);
  return { ...result, summary: JSON.parse(result.stdout) as Summary };
}

async function collectorFigures(collection: RunningCommand, folder: string): Promise<Figures | undefined> {
  const [pid] = askableOf(
    collection.tree().map((one) => one.pid),
    folder,
  );
  return pid === undefined ? undefined : figuresOf(pid, folder);
}

async function killAgent(soak: Soak): Promise<void> {
  const agent = (await instances(soak)).find(({ config_path }) => config_path === AGENT);
  if (agent === undefined) throw new Error(`${AGENT} is not running`);
  say(`kill -9 of ${AGENT} (${agent.pid})`);
  process.kill(agent.pid, "SIGKILL");
  await soak.servers.waitForLine(new RegExp(`^${AGENT} is ready again`), 60_000);
}

/** Waits until every process has let go of its idle connections. */
async function settled(soak: Soak, before: ReadonlyMap<string, Figures>): Promise<void> {
  const high = async (): Promise<boolean> =>
    [...(await roles(soak))].some(([role, pid]) => descriptorsOf(pid) > (before.get(role)?.descriptors ?? Number.POSITIVE_INFINITY));
  await sleep(1_000);
  for (const end = performance.now() + IDLE_MS; performance.now() < end && (await high()); ) await sleep(250);
}

async function run(soak: Soak): Promise<Check[]> {
  const folder = soak.project.file("figures");
  const warmUp = Math.max(10, Math.min(60, SECONDS / 5));
  say(`warm-up of ${warmUp} s`);
  await ended(startCollection(soak, { seconds: warmUp, name: "warm" }));
  await sleep(IDLE_MS);
  const before = await measured(soak);

  soak.upstream.clear();
  say(`collection of ${SECONDS} s, ${CONCURRENCY} in flight`);
  const collection = startCollection(soak, { seconds: SECONDS, name: "r" });
  await sleep(SECONDS * 250);
  const early = await collectorFigures(collection, folder);
  await sleep(SECONDS * 250);
  if (!values["no-kill"]) await killAgent(soak);
  await sleep(SECONDS * 400);
  const late = await collectorFigures(collection, folder);
  const result = await ended(collection);
  await settled(soak, before);
  const after = await measured(soak);
  if (early !== undefined) before.set("collector (in flight)", early);
  if (late !== undefined) after.set("collector (in flight)", late);

  say("stopping the servers");
  soak.servers.kill("SIGINT");
  const stopped = await soak.servers.exited;
  const counts = { ...soak.upstream.counts };
  return [
    ...checkCounts({
      exitCode: result.exitCode,
      summary: result.summary,
      upstream: counts,
      rollouts: await rowsOf(soak.project.file("out/r.jsonl")),
      failures: await rowsOf(soak.project.file("out/r_failures.jsonl")),
    }),
    ...checkMemory(before, after),
    ...checkLeft({
      processes: [...(await result.leftBehind()), ...(await stopped.leftBehind())].map(({ pid, command }) => `${pid} ${command}`),
      files: await readdir(soak.project.file("tmp")),
      open: counts.open,
    }),
  ];
}

async function rowsOf(path: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(path, "utf8").catch(() => "");
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Record<string, unknown>]));
}

async function main(): Promise<void> {
  await using upstream = await startFaultyUpstream({ rates: RATES, latencyMs: LATENCY_MS });
  const project = await tempProject({
    "in.jsonl": Array.from({ length: TASKS }, (_, index) => question(index)),
    "env.yaml": { policy_base_url: upstream.url, policy_api_key: "sk-soak", policy_model_name: "soak" },
  });
  for (const folder of ["tmp", "figures"]) await mkdir(project.file(folder));
  const env = { HOME: project.path, TMPDIR: project.file("tmp"), OPENAI_API_KEY: undefined, OPENAI_BASE_URL: undefined };
  const options = { cwd: project.path, env: { ...env, ...askable(project.file("figures")) } };
  const what = [
    "--resources-server",
    "mcqa",
    "--model-type",
    "openai_model",
    "+hosting=process",
    "+head_server.port=0",
    `+http_model_timeout_ms=${MODEL_LIMIT_S * 1000}`,
  ];
  const restart = `++${AGENT}.responses_api_agents.simple_agent.restart={on_failure:1}`;
  await using servers = startCommand([`${BIN}ng-run`, ...what, restart], options);
  try {
    const [, head = ""] = await servers.waitForLine(/head server at http:\/\/127\.0\.0\.1:(\d+)/, 60_000);
    await servers.waitForLine(/Ctrl-C stops/, 60_000);
    const checks = await run({ project, upstream, servers, head, options });
    process.stdout.write(report(checks));
    process.exitCode = checks.every(({ ok }) => ok) ? 0 : 1;
  } catch (error) {
    process.stderr.write(`${String(error)}\nng-run said:\n${servers.stderr.slice(-4_000)}\n`);
    process.exitCode = 1;
  } finally {
    if (values.keep) say(`kept: ${project.path}`);
    else await project[Symbol.asyncDispose]();
  }
}

await main();
