/** A run as its user watches it: ng-status in another terminal, logs in files and as JSON. */
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { startFakeUpstream } from "@ng-gym/testing";
import type { ResultPromise } from "execa";
import { expect, test } from "vitest";
import { run, start, temporaryFolder } from "./run-command.ts";

const KEY = "s3cret-key-of-the-endpoint";

interface Running extends AsyncDisposable {
  readonly cwd: string;
  readonly stderr: () => string;
  until(pattern: RegExp): Promise<void>;
  stop(): Promise<void>;
}

async function startRun(words: readonly string[]): Promise<Running> {
  const folder = temporaryFolder();
  writeFileSync(join(folder.path, "env.yaml"), `head_server: {host: 127.0.0.1, port: ${await freePort()}}\npolicy_model_name: m\n`);
  const servers: ResultPromise = start(["ng-run", "--resources-server", "mcqa", ...words], { cwd: folder.path, buffer: false });
  const said = { stdout: "", stderr: "" };
  const watchers = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    servers[name]?.on("data", (chunk) => {
      said[name] += String(chunk);
      for (const watcher of watchers) watcher();
    });
  }
  const ended = servers.then(() => {});
  return {
    cwd: folder.path,
    stderr: () => said.stderr,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (pattern.test(said.stdout + said.stderr)) resolve();
        };
        watchers.add(look);
        look();
        void ended.then(() => reject(new Error(`ended without ${pattern}:\n${said.stdout}${said.stderr}`)));
      }),
    async stop() {
      servers.kill("SIGINT");
      await ended;
    },
    async [Symbol.asyncDispose]() {
      servers.kill("SIGKILL");
      await ended;
      folder[Symbol.dispose]();
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

test("ng-status shows load, calls and processes; --json stays a list of instances", async () => {
  await using upstream = await startFakeUpstream();
  await using servers = await startRun(["--model-type", "openai_model", "--model-url", upstream.url, "--model-api-key", KEY]);
  await servers.until(/servers ready in /);
  const row = {
    responses_create_params: { input: [{ role: "user", content: "Which letter?" }] },
    options: [{ A: "no" }, { B: "yes" }],
    expected_answer: "B",
    agent_ref: { type: "responses_api_agents", name: "mcqa_simple_agent" },
  };
  writeFileSync(join(servers.cwd, "in.jsonl"), `${JSON.stringify(row)}\n`);
  expect(await run(["ng-collect-rollouts", "-i", "in.jsonl", "-o", "r.jsonl", "--num-repeats", "3"], { cwd: servers.cwd })).toMatchObject({
    exitCode: 0,
  });

  const text = await run(["ng-status"], { cwd: servers.cwd });
  expect(text.stdout).toMatch(/^ +mcqa_environment_server .* healthy +0 +4 +0 +0$/m);
  expect(text.stdout).toMatch(/^ +calls to +calls +in flight +waiting +pausing +retries +errors +limit +circuit$/m);
  expect(text.stdout).toMatch(/^ +policy_model +3 +0 +0 +0 +0 +0 /m);
  expect(text.stdout).toMatch(/^ +policy_model endpoint +3 +0 +0 +0 +0 +0 .*closed$/m);
  expect(text.stdout).toMatch(/^ +process +hosting +CPU +memory +heap +event loop p50\/p99\/max +descriptors$/m);
  const json = await run(["ng-status", "--json"], { cwd: servers.cwd });
  const list: { config_path: string; status: string; load: object; processes: { targets: object }[] }[] = JSON.parse(json.stdout);
  const mcqa = list.find((one) => one.config_path === "mcqa");
  expect(mcqa).toMatchObject({ status: "success", load: { in_flight: 0, handled: 7, failed: 0, queued: 0 } });
  expect(mcqa?.processes[0]).toMatchObject({
    hosting: "shared",
    load: { rss_bytes: expect.any(Number) },
    targets: { "policy_model endpoint": { calls: 3, in_flight: 0 } },
  });
  expect(text.stdout + json.stdout).not.toContain(KEY);
});

test("a copy that hangs: what it knows is unknown, and no server in it is healthy", async () => {
  await using servers = await startRun(["--model-type", "simulated_model", "+num_hosts=2", "+hosting=shared"]);
  await servers.until(/servers ready in /);
  const ask = async (): Promise<{ pids: number[]; status: string; uptime_seconds: number | null; load: object }[]> =>
    JSON.parse((await run(["ng-status", "--json"], { cwd: servers.cwd })).stdout);
  const [first] = await ask();
  const pid = first?.pids[1] as number;
  process.kill(pid, "SIGSTOP");
  try {
    for (const one of await ask())
      expect(one).toMatchObject({ status: "timeout", uptime_seconds: null, load: { in_flight: null, handled: null } });
    const { stdout } = await run(["ng-status"], { cwd: servers.cwd });
    expect(stdout).toMatch(/^ +mcqa_environment_server .* timeout +\? +\? +\? +\?$/m);
    expect(stdout).toMatch(/^ +\d+ +launcher +\S/m);
    expect(stdout).toMatch(/0 healthy, 4 unhealthy/);
  } finally {
    process.kill(pid, "SIGCONT");
  }
});

test("while servers are starting ng-status says what is missing", async () => {
  await using servers = await startRun(["--model-type", "openai_model", "--model-url", "http://127.0.0.1:1/v1", "--model-api-key", KEY]);
  await servers.until(/waiting for 1 model endpoint/);
  const status = await run(["ng-status"], { cwd: servers.cwd });
  expect(status).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/starting; not ready yet: .*openai_base_url/) });
  expect(await run(["ng-status", "--json"], { cwd: servers.cwd })).toMatchObject({ exitCode: 0, stdout: "[]\n" });
});

test("logs go to files too, of every process; log_format json makes each line one object", async () => {
  const words = ["--model-type", "simulated_model", "+hosting=process", "+log_format=json", "+nemo_gym_log_dir=logs/of/run"];
  await using servers = await startRun(words);
  await servers.until(/servers ready in /);
  await servers.until(/every answer is simulated/);
  await servers.stop();
  const file = readFileSync(join(servers.cwd, "logs/of/run/policy_model.log"), "utf8");
  const [line, end] = file.split("\n");
  expect(JSON.parse(line ?? "")).toMatchObject({
    level: "warn",
    server: "policy_model",
    message: expect.stringMatching(/every answer is simulated/),
  });
  expect(end).toBe("");
  expect(servers.stderr().split("\n")).toContain(line);
});

test.each(["file/logs", "/proc/nope"])(
  "a folder for logs that cannot be made (%s) is an error of the start that names its key",
  async (logs) => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, "file"), "");
    const line = [
      "ng-run",
      "--resources-server",
      "mcqa",
      "--model-type",
      "simulated_model",
      "+policy_model_name=m",
      "+head_server.port=0",
      `+nemo_gym_log_dir=${logs}`,
    ];
    expect(await run(line, { cwd: folder.path })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/nemo_gym_log_dir.*NG_ERR_FILE/s),
    });
  },
);
