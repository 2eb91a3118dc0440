/** The main job through the real binaries: servers in one process, a collection from another, a profile of what it wrote. */
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { ResultPromise } from "execa";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Folder, run, start, temporaryFolder } from "./run-command.ts";

const QUESTIONS = 6;
const REPEATS = 2;

let folder: Folder;
let servers: ResultPromise;
let said = "";

beforeAll(async () => {
  folder = temporaryFolder();
  writeFileSync(join(folder.path, "env.yaml"), `head_server: {host: 127.0.0.1, port: ${await freePort()}}\npolicy_model_name: simulated\n`);
  writeFileSync(
    join(folder.path, "in.jsonl"),
    Array.from({ length: QUESTIONS }, (_, index) => `${JSON.stringify(question(index))}\n`).join(""),
  );
  servers = start(["ng-run", "--resources-server", "mcqa", "--model-type", "simulated_model"], {
    cwd: folder.path,
    all: true,
    buffer: false,
  });
  servers.all?.on("data", (chunk) => {
    said += String(chunk);
  });
  await until(servers, /servers ready in /);
});

afterAll(async () => {
  servers?.kill("SIGKILL");
  await servers;
  folder?.[Symbol.dispose]();
});

describe("against running servers", () => {
  test("ng-run names who it waits for, then shows the ready table", () => {
    expect(said).toMatch(/^waiting for \d+ of \d+ servers/m);
    expect(said).toMatch(/^\d+ servers ready in /m);
    for (const name of ["mcqa", "policy_model"]) expect(said).toMatch(new RegExp(`^ {2}${name} .*http://127\\.0\\.0\\.1:\\d+`, "m"));
  });

  test("ng-status shows them, also as JSON", async () => {
    const text = await run(["ng-status"], { cwd: folder.path });
    expect(text).toMatchObject({ exitCode: 0 });
    expect(text.stdout).toMatch(/\d+ healthy, 0 unhealthy\n$/);
    const json = await run(["ng_status", "--json"], { cwd: folder.path });
    const list: { process_name: string; status: string; uptime_seconds: number }[] = JSON.parse(json.stdout);
    expect(list.map((one) => one.process_name)).toEqual(expect.arrayContaining(["mcqa", "mcqa_simple_agent", "policy_model"]));
    for (const one of list) expect(one).toMatchObject({ status: "success", uptime_seconds: expect.any(Number) });
  });

  test("a collection ends with the table; its profile reads what it wrote", async () => {
    const collected = await run(["ng-collect-rollouts", "-i", "in.jsonl", "-o", "out/r.jsonl", "--num-repeats", String(REPEATS)], {
      cwd: folder.path,
    });
    expect(collected.stderr).not.toMatch(/Error/);
    expect(collected.exitCode).toBe(0);
    for (const line of [
      /expected +12\n/,
      /scored +12\n/,
      /failed +0\n/,
      /missing +0\n/,
      /coverage +100 %\n/,
      /mean reward +95 % interval/,
      /pass@2/,
      /\(6 tasks\)/,
      /SIMULATED: policy_model/,
      /rollouts +.*r\.jsonl\n/,
    ]) {
      expect(collected.stdout).toMatch(line);
    }
    expect(readFileSync(join(folder.path, "out/r.jsonl"), "utf8").trim().split("\n")).toHaveLength(QUESTIONS * REPEATS);
    const profiled = await run(["ng-reward-profile", "--inputs", "out/r_materialized_inputs.jsonl", "--rollouts", "out/r.jsonl"], {
      cwd: folder.path,
    });
    expect(profiled).toMatchObject({ exitCode: 0 });
    expect(profiled.stdout).toMatch(/rollouts +12 of 12 \(100 %\)/);
  });

  test("--json prints the same numbers as one value; the tree and the old spelling are the same command", async () => {
    const { exitCode, stdout } = await run(
      ["gym", "--json", "eval", "run", "--no-serve", "+input_jsonl_fpath=in.jsonl", "+output_jsonl_fpath=out/json.jsonl"],
      { cwd: folder.path },
    );
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      exit_code: 0,
      expected: QUESTIONS,
      scored: QUESTIONS,
      failed: 0,
      missing: 0,
      coverage: 1,
      overall: { tasks: QUESTIONS, pass_at_k: expect.any(Array) },
      simulated: ["policy_model"],
    });
  });

  test("what is wrong with the input is said before anything is sent", async () => {
    const none = await run(["ng-collect-rollouts", "-i", "nope.jsonl", "-o", "out/none.jsonl"], { cwd: folder.path });
    expect(none).toMatchObject({ exitCode: 1, stdout: "" });
    expect(none.stderr).toMatch(/^Error: .*nope\.jsonl/m);
    writeFileSync(join(folder.path, "broken.jsonl"), `${JSON.stringify(question(0))}\n{"responses_create_params": \n`);
    const broken = await run(["ng-collect-rollouts", "-i", "broken.jsonl", "-o", "out/broken.jsonl"], { cwd: folder.path });
    expect(broken).toMatchObject({ exitCode: 1, stdout: "" });
    expect(broken.stderr).toMatch(/^Error: .*broken\.jsonl:2/m);
    const agent = await run(["ng-collect-rollouts", "-i", "in.jsonl", "-o", "out/agent.jsonl", "--agent", "mcqa_simple_agnet"], {
      cwd: folder.path,
    });
    expect(agent).toMatchObject({ exitCode: 1, stdout: "" });
    expect(agent.stderr).toMatch(/mcqa_simple_agnet[\s\S]*mcqa_simple_agent/);
  });
});

test("SIGINT ends a collection with what it has, and exit code 130", async () => {
  using here = temporaryFolder();
  writeFileSync(join(here.path, "env.yaml"), `head_server: {host: 127.0.0.1, port: ${await freePort()}}\npolicy_model_name: simulated\n`);
  writeFileSync(join(here.path, "in.jsonl"), `${JSON.stringify(question(0))}\n`);
  const silent = "++policy_model.responses_api_models.simulated_model.silent_rate=1";
  const slow = start(["ng-run", "--resources-server", "mcqa", "--model-type", "simulated_model", silent], {
    cwd: here.path,
    all: true,
    buffer: false,
  });
  try {
    await until(slow, /servers ready in /);
    const collection = start(["ng-collect-rollouts", "-i", "in.jsonl", "-o", "r.jsonl"], { cwd: here.path, all: true });
    await until(collection, /1 rollouts?, 1 to run/);
    collection.kill("SIGINT");
    const { exitCode, stdout, stderr } = await collection;
    expect(exitCode).toBe(130);
    expect(stdout).toMatch(/expected +1\n {2}scored +0\n[\s\S]*Interrupted: .*--resume/);
    expect(stderr).not.toMatch(/^Error/m);
  } finally {
    slow.kill("SIGINT");
    await slow;
  }
});

test("SIGINT while servers start ends them all, with exit code 130 and no error", async () => {
  using here = temporaryFolder();
  const head = `+head_server.port=${await freePort()}`;
  const line = [
    "ng-run",
    "--resources-server",
    "mcqa",
    "--model-type",
    "simulated_model",
    "+policy_model_name=m",
    "+hosting=process",
    head,
  ];
  const starting = start(line, { cwd: here.path, all: true });
  await until(starting, /waiting for /);
  starting.kill("SIGINT");
  const { exitCode, stdout, stderr } = await starting;
  expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: "" });
  expect(stderr).toMatch(/^all servers are stopped$/m);
  expect(stderr).not.toMatch(/^Error/m);
});

test("SIGINT stops the servers in order, with exit code 130", async () => {
  servers.kill("SIGINT");
  const { exitCode } = await servers;
  expect(exitCode).toBe(130);
  expect(said).toMatch(/^Stopping in order/m);
  expect(said).toMatch(/^all servers are stopped$/m);
  const status = await run(["ng-status"], { cwd: folder.path });
  expect(status).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^No servers are running/) });
});

function question(index: number): object {
  return {
    responses_create_params: {
      input: [{ role: "user", content: `Question ${index}: which letter is right?\nA: no\nB: yes\nAnswer with \\boxed{X}.` }],
    },
    options: [{ A: "no" }, { B: "yes" }],
    expected_answer: "B",
    agent_ref: { type: "responses_api_agents", name: "mcqa_simple_agent" },
  };
}

/** Resolves with what a command said once it said this; rejects if it ends before. */
async function until(command: ResultPromise, expected: RegExp): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let text = "";
  command.all?.on("data", (chunk) => {
    text += String(chunk);
    if (expected.test(text)) resolve();
  });
  void command.then(() => reject(new Error(`the command ended before it said ${expected}:\n${text}`)));
  await promise;
}

async function freePort(): Promise<number> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}
