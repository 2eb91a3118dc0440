import { existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { failureHeaders } from "../../src/http/index.ts";
import {
  type CollectEvent,
  type CollectOptions,
  type CollectResult,
  collectRollouts,
  parseCollectParameters,
  summarizeRun,
} from "../../src/rollouts/index.ts";
import { type Foreign, linesText, scratch, writeFiles } from "./recipes.ts";
import { type Answer, configOf, type Scripted, type ScriptedOptions, startScripted } from "./scripted.ts";

let folder = "";
beforeEach(() => {
  folder = scratch();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function rows(count: number, extra: Foreign = {}): Foreign[] {
  return Array.from({ length: count }, (_, n) => ({ responses_create_params: { input: `q${n}` }, agent_ref: { name: "a" }, ...extra }));
}

function rowsIn(name: string): Foreign[] {
  const path = join(folder, name);
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

const ids = (list: Foreign[]): string[] => list.map((row) => `${row._ng_task_index}-${row._ng_rollout_index}`);

interface Collect extends Partial<CollectOptions> {
  config?: Foreign;
  input?: Foreign[];
  events?: CollectEvent[];
}

async function collect(scripted: Pick<Scripted, "client">, given: Collect = {}): Promise<CollectResult> {
  const { config, input, events, ...options } = given;
  if (input !== undefined) writeFiles(folder, { "in.jsonl": linesText(input) });
  const { parameters } = parseCollectParameters({ input_jsonl_fpath: "in.jsonl", output_jsonl_fpath: "out/r.jsonl", ...config });
  return collectRollouts({
    client: scripted.client,
    servers: { config: configOf({ env: ["a"] }) },
    parameters,
    cwd: folder,
    env: {},
    onEvent: (event) => events?.push(event),
    ...options,
  });
}

const start = (run: ScriptedOptions["run"]) => startScripted({ run });
const rewardOf = (id: string): Answer => ({ json: { reward: Number(id.split("-")[0]) % 2, response: {} } });

test("a run that is stopped half way and resumed leaves the rows of a run that was not", async () => {
  await using scripted = await start(({ id }) => rewardOf(id));
  await collect(scripted, { input: rows(10), config: { num_repeats: 3, output_jsonl_fpath: "whole/r.jsonl" } });
  const controller = new AbortController();
  let answered = 0;
  await using stopping = await start(({ id }) => {
    if (++answered === 12) controller.abort();
    return rewardOf(id);
  });
  const config = { num_repeats: 3, num_samples_in_parallel: 4 };
  const first = await collect(stopping, { config, signal: controller.signal });
  expect(first.exitCode).toBe(130);
  expect(first.summary.run).toMatchObject({ interrupted: true });
  expect(first.summary.scored + first.summary.missing).toBe(30);
  const half = rowsIn("out/r.jsonl").length;
  expect(half).toBeGreaterThan(0);
  expect(half).toBeLessThan(30);
  expect(rowsIn("out/r_failures.jsonl")).toEqual([]);
  const second = await collect(scripted, { config: { ...config, resume_from_cache: true } });
  expect(second).toMatchObject({
    exitCode: 0,
    summary: { expected: 30, scored: 30, missing: 0, coverage: 1, run: { cached: half, dispatched: 30 - half } },
  });
  const sorted = (name: string) =>
    rowsIn(name)
      .map((row) => JSON.stringify(row))
      .sort();
  expect(sorted("out/r.jsonl")).toEqual(sorted("whole/r.jsonl"));
  const metrics = (name: string) => JSON.parse(readFileSync(join(folder, name), "utf8"));
  expect(metrics("out/r_aggregate_metrics.json")).toEqual(metrics("whole/r_aggregate_metrics.json"));
});

test("resume drops a torn last line, reports it and runs that rollout again", async () => {
  await using scripted = await start(({ id }) => rewardOf(id));
  await collect(scripted, { input: rows(4), config: { num_samples_in_parallel: 1 } });
  const path = join(folder, "out/r.jsonl");
  const size = readFileSync(path).length;
  truncateSync(path, size - 20);
  const result = await collect(scripted, { config: { resume_from_cache: true } });
  const torn = result.summary.droppedTail;
  expect(torn).toEqual([{ path, bytes: expect.any(Number) }]);
  expect(result.summary).toMatchObject({ scored: 4, run: { cached: 3, dispatched: 1 } });
  expect(ids(rowsIn("out/r.jsonl")).sort()).toEqual(["0-0", "1-0", "2-0", "3-0"]);
});

test.each([
  ["no reward", { response: {} }],
  ["a null reward", { reward: null }],
  ["a reward that is a string", { reward: "1" }],
  ["a reward that is a list", { reward: [1] }],
])("%s is a failed rollout, not a zero", async (words, answer) => {
  await using scripted = await start(({ id }) => (id === "1-0" ? { json: answer } : { json: { reward: 1 } }));
  const result = await collect(scripted, { input: rows(4) });
  expect(result).toMatchObject({
    exitCode: 0,
    summary: { expected: 4, scored: 3, failed: 1, missing: 0, coverage: 0.75, overall: { meanReward: 1 } },
  });
  const [failure] = rowsIn("out/r_failures.jsonl");
  expect(failure).toMatchObject({
    _ng_failure_class: "agent_run_error",
    failure_kind: "env:bad_response",
    _ng_failure_boundary: "env",
    _ng_failure_attempts: 1,
    _ng_failure_http_status: 200,
  });
  expect(failure._ng_failure_message).toContain(words);
  expect(failure).not.toHaveProperty("reward");
  expect(await collect(scripted, { strict: true, config: { output_jsonl_fpath: "strict/r.jsonl" } })).toMatchObject({
    exitCode: 1,
    problem: { code: "NG_ERR_INCOMPLETE" },
  });
});

test("an infinite number in the answer is a failed rollout", async () => {
  await using scripted = await start(({ id }) => (id === "0-0" ? { text: '{"reward": 1e999}' } : { text: '{"reward": NaN}' }));
  const result = await collect(scripted, { input: rows(2) });
  expect(result).toMatchObject({ exitCode: 1, problem: { code: "NG_ERR_NOTHING_SCORED" } });
  expect(rowsIn("out/r_failures.jsonl").map((row) => row.failure_kind)).toEqual(["env:bad_response", "env:bad_response"]);
});

test("masked rows are stored, counted and in no number", async () => {
  await using scripted = await start(({ id }) => ({
    json: { reward: id.startsWith("1") ? 0 : 1, mask_sample: id.startsWith("1"), response: {} },
  }));
  const { summary, exitCode } = await collect(scripted, {
    input: rows(3),
    servers: { config: configOf({ env: ["a"] }), instances: [{ name: "env", aggregation: "baseline" }] },
  });
  expect(exitCode).toBe(0);
  expect(summary).toMatchObject({ expected: 3, scored: 2, masked: 1, failed: 0, missing: 0, overall: { meanReward: 1, rollouts: 2 } });
  expect(rowsIn("out/r.jsonl")).toHaveLength(3);
  const [entry] = JSON.parse(readFileSync(join(folder, "out/r_aggregate_metrics.json"), "utf8"));
  expect(entry.agent_metrics).toMatchObject({ "mean/reward": 1, "coverage/masked_rollouts": 1 });
  expect(entry.coverage).toMatchObject({ expected: 3, scored: 2, masked: 1, missing: 0 });
});

test("metrics made here equal metrics that the server makes", async () => {
  await using scripted = await start(({ id }) => ({
    json: { reward: Number(id.split("-")[1]) % 2, tokens: id.length, response: { usage: { input_tokens: 3 } } },
  }));
  await collect(scripted, { input: rows(5), config: { num_repeats: 3, output_jsonl_fpath: "post/r.jsonl" } });
  expect(scripted.aggregations).toHaveLength(1);
  await collect(scripted, {
    config: { num_repeats: 3 },
    servers: { config: configOf({ env: ["a"] }), instances: [{ name: "env", aggregation: "baseline" }] },
  });
  expect(scripted.aggregations).toHaveLength(1);
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  expect(read("out/r_aggregate_metrics.json")).toBe(read("post/r_aggregate_metrics.json"));
});

test("a failure names the hop that broke, and each kind is told once", async () => {
  const facts = {
    failure_kind: "transport_unreachable",
    boundary: "policy_model",
    attempts: 3,
    message: "policy_model refused the connection",
  };
  await using scripted = await start(() => ({ status: 500, text: '"inner"', headers: failureHeaders(facts) }));
  const events: CollectEvent[] = [];
  const result = await collect(scripted, { input: rows(5), events });
  expect(result).toMatchObject({ exitCode: 1, problem: { code: "NG_ERR_NOTHING_SCORED" } });
  expect(rowsIn("out/r_failures.jsonl")[0]).toMatchObject({
    _ng_failure_class: "agent_run_error",
    failure_kind: "transport_unreachable",
    _ng_failure_boundary: "policy_model",
    _ng_failure_attempts: 3,
    _ng_failure_message: "policy_model refused the connection",
    _ng_failure_http_status: 500,
    _ng_failure_response_body: '"inner"',
  });
  expect(events.filter((event) => event.type === "failure")).toMatchObject([
    { failureKind: "transport_unreachable", boundary: "policy_model", hint: expect.any(String) },
  ]);
  expect(result.summary.failures).toMatchObject([{ failureClass: "agent_run_error", failureKind: "transport_unreachable", count: 5 }]);
});

test("a server that is not there is a failed request, and resume runs the rows again", async () => {
  await using gone = await start(() => ({}));
  await gone[Symbol.asyncDispose]();
  await using scripted = await start(({ id }) => rewardOf(id));
  const { createServerClient } = await import("../../src/http/index.ts");
  const client = createServerClient({ addressOf: () => ({ url: `http://127.0.0.1:${gone.port}/env` }), policy: { maxAttempts: 1 } });
  const first = await collect({ client }, { input: rows(3) });
  await client[Symbol.asyncDispose]();
  expect(first).toMatchObject({ exitCode: 1, summary: { failed: 3, missing: 0, scored: 0 } });
  expect(rowsIn("out/r_failures.jsonl")[0]).toMatchObject({
    _ng_failure_class: "agent_request_failed",
    failure_kind: "transport_unreachable",
    _ng_failure_boundary: "env",
    _ng_failure_http_status: null,
  });
  const second = await collect(scripted, { config: { resume_from_cache: true } });
  expect(second).toMatchObject({ exitCode: 0, summary: { scored: 3, failed: 0 } });
  expect(rowsIn("out/r.jsonl").map((row) => row._ng_attempt_index)).toEqual([1, 1, 1]);
});

test("wrong answers stay, failed rows run again, until attempts are used up", async () => {
  await using scripted = await start(({ id }) => (id === "0-0" ? { json: { reward: 0 } } : { status: 500, text: "x" }));
  await collect(scripted, { input: rows(2) });
  for (const calls of [3, 4, 4]) {
    await collect(scripted, { config: { resume_from_cache: true } });
    expect(scripted.requests).toHaveLength(calls);
  }
  expect(scripted.requests.filter((call) => call === "env:0-0")).toHaveLength(1);
});

test("resume refuses other settings with a diff, and goes on by force with a record", async () => {
  await using scripted = await start(({ id }) => rewardOf(id));
  const secret = {
    ...configOf({ env: ["a"] }),
    m: { responses_api_models: { x: { model: "one", api_key: "sk-secret-1", base_url: "http://u:pw@h/v1" } } },
  } as Foreign;
  secret.a.responses_api_agents.simple_agent.model_server = { type: "responses_api_models", name: "m" };
  await collect(scripted, { input: rows(2), servers: { config: secret } });
  const changed = structuredClone(secret);
  changed.m.responses_api_models.x = { model: "two", api_key: "sk-secret-2", base_url: "http://elsewhere/v1" };
  const again = { config: { resume_from_cache: true, num_repeats: 2 }, servers: { config: changed } };
  const refusal = await collect(scripted, again).catch((error) => error);
  expect(refusal).toMatchObject({ code: "NG_ERR_RESUME_MISMATCH" });
  expect(refusal.message).toMatch(/num_repeats: 1 -> 2/);
  expect(refusal.message).toMatch(/m\.responses_api_models\.x\.model: "one" -> "two"/);
  expect(refusal.message).not.toMatch(/base_url|api_key/);
  const before = scripted.requests.length;
  expect(before).toBe(2);
  expect(await collect(scripted, { ...again, force: true })).toMatchObject({ exitCode: 0 });
  const manifest = readFileSync(join(folder, "out/r_manifest.json"), "utf8");
  expect(JSON.parse(manifest).runs[1].forced).toHaveLength(2);
  expect(manifest).not.toMatch(/sk-secret|pw@/);
});

test("a fresh run archives what is there, under names that no glob over shards matches", async () => {
  await using scripted = await start(({ id }) => rewardOf(id));
  await collect(scripted, { input: rows(2) });
  const before = readFileSync(join(folder, "out/r.jsonl"), "utf8");
  const { summary } = await collect(scripted, {});
  const [archived = ""] = summary.archived;
  expect(readFileSync(archived, "utf8")).toBe(before);
  const names = readdirSync(join(folder, "out"));
  expect(names.filter((name) => name.endsWith(".jsonl")).sort()).toEqual(["r.jsonl", "r_failures.jsonl", "r_materialized_inputs.jsonl"]);
  expect(names.filter((name) => name.includes(".archived-"))).toHaveLength(4);
});

test("all names that cannot be resolved are one error, before any request and with earlier files untouched", async () => {
  await using scripted = await start(({ id }) => rewardOf(id));
  mkdirSync(join(folder, "out"));
  writeFileSync(join(folder, "out/r.jsonl"), "{}\n");
  const params = { responses_create_params: { input: "x" } };
  const input = [
    { ...params, agent_ref: { name: "aa" } },
    { ...params },
    { ...params, task_source: "nowhere" },
    { ...params, agent_ref: { name: "aa" } },
    { agent_ref: { name: "a" } },
  ];
  const error = await collect(scripted, { input }).catch((thrown) => thrown);
  expect(error).toMatchObject({ code: "NG_ERR_CONFIG" });
  expect(error.message).toMatch(/'aa' is not in the running configuration \(did you mean 'a'\?\) \(lines 1, 4\)/);
  expect(error.message).toMatch(/\(line 2\)[\s\S]*nowhere[\s\S]*\(line 3\)[\s\S]*responses_create_params is missing \(line 5\)/);
  expect(scripted.requests).toEqual([]);
  expect(readdirSync(join(folder, "out"))).toEqual(["r.jsonl"]);
});

test("a broken line is told with file, line and what was expected", async () => {
  await using scripted = await start(({ id }) => rewardOf(id));
  writeFiles(folder, { "in.jsonl": `${linesText(rows(2))}{"a": \n` });
  await expect(collect(scripted)).rejects.toThrow(/in\.jsonl:3: the line is not JSON/);
  writeFiles(folder, { "in.jsonl": `${linesText(rows(2))}\n` });
  await expect(collect(scripted)).rejects.toThrow(/in\.jsonl:3: the line is blank/);
});

test("no more than num_samples_in_parallel are out at once, started in input order", async () => {
  let out = 0;
  let most = 0;
  const waiting: (() => void)[] = [];
  await using scripted = await start(async ({ id }) => {
    most = Math.max(most, ++out);
    // Answers come two by two and backwards: the order of lines is that of answers, the order of calls that of the input.
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 2) for (const go of waiting.splice(0).reverse()) go();
    });
    out--;
    return rewardOf(id);
  });
  await collect(scripted, { input: rows(8), config: { num_samples_in_parallel: 2 } });
  expect(most).toBe(2);
  const order = scripted.requests.map((call) => Number(call.split(":")[1]?.split("-")[0]));
  // Two calls of one pair may overtake each other on the wire, not more.
  for (const [at, task] of order.entries()) expect(Math.abs(task - at)).toBeLessThanOrEqual(1);
});

test("every number of the summary can be computed again from the files", async () => {
  await using scripted = await start(({ id }) => (id.startsWith("2") ? { status: 503, text: "busy" } : rewardOf(id)));
  const { summary } = await collect(scripted, { input: rows(6), config: { num_repeats: 4 } });
  const { run: _run, ...fromRun } = summary;
  const { run: _again, ...fromFiles } = await summarizeRun({ output: "out/r.jsonl", cwd: folder });
  expect(fromFiles).toEqual(fromRun);
  expect(summary).toMatchObject({ expected: 24, scored: 20, failed: 4, coverage: 20 / 24 });
  expect(summary.overall.passAtK).toEqual([1, 2, 3, 4].map((k) => ({ k, value: expect.closeTo(0.6, 12), tasks: 5, skippedTasks: 0 })));
  expect(summary.overall.interval).toMatchObject({ clusters: 5, level: 0.95 });
});

test("pass@k says on how many tasks it rests", async () => {
  await using scripted = await start(({ id }) =>
    id === "0-2" || id === "0-1" ? { status: 500, text: "x" } : { json: { reward: id.startsWith("0") ? 1 : 0 } },
  );
  const { summary } = await collect(scripted, { input: rows(2), config: { num_repeats: 3 } });
  expect(summary.overall.passAtK).toEqual([
    { k: 1, value: 0.5, tasks: 2, skippedTasks: 0 },
    { k: 2, value: 0, tasks: 1, skippedTasks: 1 },
    { k: 3, value: 0, tasks: 1, skippedTasks: 1 },
  ]);
});

test("an episode that breaks its contract is a failure of its row, never the end of the run", async () => {
  const task = (n: number) => ({ task_id: { taskset: "t", task_id: `x${n}` }, task_input: { n } });
  const answers: Foreign[] = [{ result: { reward: 1, _ng_x: 1 } }, { result: null }, [1], { result: { reward: 0.5 } }];
  await using scripted = await start(({ id }) => ({ json: answers[Number(id.split("-")[0])] }));
  const { summary } = await collect(scripted, { input: [0, 1, 2, 3].map(task), config: { environment_server_routes: { t: "env" } } });
  expect(summary).toMatchObject({ expected: 4, scored: 1, failed: 3 });
  expect(rowsIn("out/r_failures.jsonl").every((row) => row.failure_kind === "env:bad_response")).toBe(true);
});

test("a run that the reference made is taken over, and later resumes are held against the settings of the first", async () => {
  await using scripted = await start(({ id }) => (id === "1-0" ? { status: 500, text: "x" } : rewardOf(id)));
  const materialized = rows(3).map((row, n) => ({ ...row, _ng_task_index: n, _ng_rollout_index: 0 }));
  const done = { _ng_task_index: 0, _ng_rollout_index: 0, agent_ref: { name: "a" }, reward: 0.5 };
  writeFiles(folder, {
    "in.jsonl": linesText(rows(3)),
    "out/r_materialized_inputs.jsonl": linesText(materialized),
    "out/r.jsonl": linesText([done]),
  });
  const config = { resume_from_cache: true };
  expect(await collect(scripted, { config })).toMatchObject({ summary: { scored: 2, failed: 1 } });
  expect(await collect(scripted, { config })).toMatchObject({ summary: { scored: 2, failed: 1 } });
  writeFiles(folder, { "in.jsonl": linesText(rows(4)) });
  await expect(collect(scripted, { config })).rejects.toMatchObject({ code: "NG_ERR_RESUME_MISMATCH" });
});

test("a rollout that is twice in the main file is told with its line, and rows are kept", async () => {
  await using scripted = await start(({ id }) => rewardOf(id));
  await collect(scripted, { input: rows(2) });
  const path = join(folder, "out/r.jsonl");
  const text = readFileSync(path, "utf8");
  writeFileSync(path, text + text);
  const result = await collect(scripted, { config: { resume_from_cache: true } });
  expect(result).toMatchObject({
    exitCode: 1,
    problem: { code: "NG_ERR_DATA", message: expect.stringMatching(/r\.jsonl:3: a second result/) },
  });
  expect(result.summary.scored).toBe(2);
});

test("while nothing ends, progress is told all the same, with the rollouts that are out longest", async () => {
  const told = Promise.withResolvers<void>();
  await using scripted = await start(async ({ id }) => {
    if (id !== "1-0") await told.promise;
    return rewardOf(id);
  });
  const waiting: CollectEvent[] = [];
  const onEvent = (event: CollectEvent): void => {
    if (event.type !== "progress" || event.oldest === undefined || event.done !== 1 || event.oldestInFlightS < 1) return;
    waiting.push(event);
    told.resolve();
  };
  await collect(scripted, { input: rows(6), onEvent });
  const out = (rollout: string) => ({ rollout, server: "env", ageS: expect.any(Number) });
  expect(waiting[0]).toMatchObject({ inFlight: 5, oldest: [out("0-0"), out("2-0"), out("3-0")] });
});
