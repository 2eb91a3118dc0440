/** Servers in Python in one run with ours, through the commands: what they are given, what they answer, how they fail and how they end. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmod } from "node:fs/promises";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type CommandResult, processesWithVariable, runCommand, survivors } from "@ng-gym/testing";
import { expect, test } from "vitest";
import { binary, expectClean, folderWith, openScene, surroundings } from "./scene.ts";

const FIXTURES = fileURLToPath(new URL("../../../core/tests/servers/hosting-python/fixtures", import.meta.url));
process.env.NEMO_GYM_EXTRA_ROOTS = FIXTURES;
process.env.PYTHONDONTWRITEBYTECODE = "1";

const POINTS = ["configs/points.yaml", "configs/simulated.yaml"];
const PARAMETERS = { type: "object", properties: {}, required: [], additionalProperties: false };

/** A row whose agent may call the tool of the Python server. */
function task(index: number, meta?: object): object {
  const tools = [{ type: "function", name: "add_points", parameters: PARAMETERS, strict: true }];
  const input = [{ role: "user", content: `Add points (${index}).` }];
  return { responses_create_params: { input, tools }, ...(meta && { verifier_metadata: meta }) };
}

const tasks = (count: number): object[] => Array.from({ length: count }, (_, index) => task(index));

test("a resources server in Python with our agent and model: each rollout has its session, its tool calls and its reward", async () => {
  await using scene = await openScene({
    configs: POINTS,
    rows: tasks(8),
    run: ["++policy_model.responses_api_models.simulated_model.tool_rounds=3"],
  });
  expect(scene.servers.stderr).toMatch(/^\[points\] points begins in .*resources_servers\/py_points$/m);
  const collected = await scene.collect(["--agent", "points_simple_agent", "--num-repeats", "3"]);
  expect(collected.stdout).toMatch(/scored +24\n +failed +0\n/);
  const rows = await scene.rows();
  expect(rows.map(({ reward, seen }) => ({ reward, seen }))).toEqual(rows.map(() => ({ reward: 1, seen: 3 })));
  expect(new Set(rows.map((row) => row.session)).size).toBe(24);
  // Its metrics are asked for, not computed in its place.
  expect(await scene.project.read("out/r_aggregate_metrics.json")).toContain('"python/mean": 1');
});

test("resources server, agent and model server in Python: their addresses reach each other, a relay of ours stands in front", async () => {
  await using scene = await openScene({ configs: ["configs/python.yaml"], rows: tasks(5) });
  const collected = await scene.collect(["--agent", "points_agent"]);
  expect(collected.stdout).toMatch(/scored +5\n +failed +0\n/);
  expect((await scene.rows()).map((row) => row.reward)).toEqual([1, 1, 1, 1, 1]);
});

test("a model server in Python serves a resources server of ours, which stays in the launcher's process", async () => {
  const agent = "mcqa_simple_agent";
  const model = "++policy_model.responses_api_models.py_model.entrypoint=app.py";
  await using scene = await openScene({ configs: ["resources_servers/mcqa/configs/mcqa.yaml"], run: [model] });
  expect(scene.pidOf(agent)).not.toBe(scene.pidOf("policy_model"));
  expect((await scene.collect(["--agent", agent])).stdout).toMatch(/scored +4\n +failed +0\n/);
  expect((await scene.rows()).map((row) => row.reward)).toEqual([1, 1, 1, 1]);
});

test("calls to a Python server go by HTTP/1.1, and connections that it closes by itself cost no rollout", async () => {
  // It closes idle connections about when the next call comes.
  const words = ["++points.resources_servers.py_points.idle_seconds=0.05"];
  const model = [
    "++policy_model.responses_api_models.simulated_model.latency_ms=45",
    "++policy_model.responses_api_models.simulated_model.jitter_ms=15",
  ];
  await using scene = await openScene({ configs: POINTS, rows: tasks(60), run: [...words, ...model] });
  const collected = await scene.collect(["--agent", "points_simple_agent", "--concurrency", "4"]);
  expect(collected.stdout).toMatch(/scored +60\n +failed +0\n/);
  expect((await scene.rows()).map((row) => row.reward)).toEqual(tasks(60).map(() => 1));
});

test("an error inside the Python server is a failure of that rollout with that server as its boundary, never a reward", async () => {
  await using scene = await openScene({ configs: POINTS, rows: [task(0), task(1, { fail: true }), task(2)] });
  const collected = await scene.collect(["--agent", "points_simple_agent"]);
  expect(collected.stdout).toMatch(/scored +2\n +failed +1\n/);
  const [failed] = await scene.rows("r_failures.jsonl");
  expect(failed).toMatchObject({ _ng_failure_boundary: "points", failure_kind: "points:upstream_status" });
  expect(failed?._ng_failure_message).toContain("this row cannot be verified");
  expect(failed).not.toHaveProperty("reward");
});

test("a Python server that ends by itself ends the run with its last lines; the rollout that it was at has no reward", async () => {
  await using scene = await openScene({ configs: POINTS, rows: [task(0, { crash: true })] });
  const tree = scene.servers.tree();
  const collection = scene.startCollection(["--agent", "points_simple_agent"]);
  const { exitCode, stderr } = await scene.servers.exited;
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^Error: points \(process \d+\) ended with exit code 3; its last lines:\n.*\n +the verifier crashes$/m);
  expect(stderr).toContain("[NG_ERR_SERVER_DIED]");
  // Failed or unresolved, by who is told first.
  expect(await collection.exited).toMatchObject({ exitCode: 1, stdout: expect.stringMatching(/expected +1\n +scored +0\n/) });
  expect(await scene.rows()).toEqual([]);
  expect(await survivors(tree)).toEqual([]);
});

test.each([true, false])("launcher killed (its output read: %s): the Python server and its children are gone within 2 s", async (read) => {
  await using project = await folderWith({});
  const mark = randomUUID();
  const { cwd, env } = surroundings(project);
  const launcher = spawn(binary("ng-run"), ["+config_paths=[configs/family.yaml]", "+head_server.port=0"], {
    cwd,
    env: { ...process.env, ...env, MARK: mark },
    stdio: ["ignore", "pipe", "pipe"],
  });
  launcher.stderr.resume();
  try {
    for await (const line of createInterface({ input: launcher.stdout })) if (line.includes("Ctrl-C stops")) break;
    if (!read) for (const stream of [launcher.stdout, launcher.stderr]) stream.destroy();
    // Launcher, server, its two children, the guard.
    const running = processesWithVariable("MARK", mark);
    expect(running).toHaveLength(5);
    launcher.kill("SIGKILL");
    expect(await survivors(running, 2_000)).toEqual([]);
  } finally {
    for (const { pid } of processesWithVariable("MARK", mark)) process.kill(pid, "SIGKILL");
  }
  await expectClean(project, []);
});

test("guard and launcher killed: the kernel ends the Python server with its launcher", async () => {
  await using scene = await openScene({ configs: POINTS });
  const tree = scene.servers.tree();
  const guard = tree.find(({ command }) => command.includes("ng-gym-guard"));
  process.kill(guard?.pid as number, "SIGKILL");
  scene.servers.kill("SIGKILL");
  expect(tree).toHaveLength(3);
  expect(await survivors(tree, 2_000)).toEqual([]);
});

test("SIGTERM stops a Python server and its children in order", async () => {
  await using scene = await openScene({ configs: ["configs/family.yaml"] });
  const tree = scene.servers.tree();
  expect(tree).toHaveLength(5);
  scene.servers.kill("SIGTERM");
  const { exitCode, stderr } = await scene.servers.exited;
  expect(exitCode).toBe(130);
  expect(stderr).toMatch(/^all servers are stopped$/m);
  expect(stderr).not.toMatch(/ended|killed|Error/);
  expect(await survivors(tree)).toEqual([]);
});

test("kill -9 of a Python server: ng-run says so and ends, its children too", async () => {
  await using scene = await openScene({ configs: ["configs/family.yaml"] });
  const tree = scene.servers.tree();
  process.kill(scene.pidOf("family"), "SIGKILL");
  const { exitCode, stderr } = await scene.servers.exited;
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^Error: family \(process \d+\) was ended by SIGKILL/m);
  expect(await survivors(tree)).toEqual([]);
});

test("SIGTERM to every process of a run at once: no Python server is reported as dead", async () => {
  await using scene = await openScene({ configs: ["configs/python.yaml"] });
  const tree = scene.servers.tree();
  for (const { pid } of [...tree].reverse()) process.kill(pid, "SIGTERM");
  const { exitCode, stderr } = await scene.servers.exited;
  expect(exitCode).toBe(130);
  expect(stderr).not.toMatch(/ended|killed|Error/);
  expect(await survivors(tree)).toEqual([]);
});

const START = [binary("ng-run"), "+config_paths=[server.yaml]", "+head_server.port=0"];

async function startOf(
  app: string,
  block: object = {},
  top: object = {},
): Promise<{ exitCode: number | undefined; stderr: string; stdout: string }> {
  const server = { resources_servers: { own: { entrypoint: "app.py", domain: "other", ...block } } };
  await using project = await folderWith({ "resources_servers/own/app.py": app, "server.yaml": { server, ...top } });
  await chmod(project.file("resources_servers/own/app.py"), 0o755);
  const result = await runCommand(START, surroundings(project));
  await expectClean(project, [result]);
  return result;
}

test("a Python server that cannot start: its last 20 lines, and no more", async () => {
  const { exitCode, stderr } = await startOf('for i in range(40): print("line", i)\nraise ImportError("no module fastapi")\n');
  expect(exitCode).toBe(1);
  const report = stderr.slice(stderr.lastIndexOf("Error: server"));
  expect(report).toMatch(/^Error: server \(process \d+\) ended with exit code 1; its last lines:/);
  expect(report).toContain("no module fastapi");
  expect(report).toContain("line 39");
  expect(report).not.toContain("line 10\n");
});

test("a Python server whose start hangs is named when the limit of the start is reached", async () => {
  const { exitCode, stderr } = await startOf("import time\ntime.sleep(600)\n", {}, { server_spinup_timeout_seconds: 1.5 });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^Error: not ready within server_spinup_timeout_seconds \(1.5\): server$/m);
});

test("an interpreter that is not there is told before anything starts; one that does not run, too", async () => {
  const missing = await startOf("", { python: "python9" });
  expect(missing.exitCode).toBe(1);
  expect(missing.stderr).toMatch(/^Error: these servers cannot be started:\n +server: there is no Python interpreter python9 on the PATH/m);
  const broken = await startOf("", {}, { python: "resources_servers/own/app.py" });
  expect(broken.exitCode).toBe(1);
  expect(broken.stderr).toMatch(/^Error: server: .*resources_servers\/own\/app.py does not run as a Python interpreter: /m);
  expect(broken.stderr).not.toContain("waiting for");
});

test("a dry run and ng-validate look for folder, program and interpreter of a Python server, and run nothing of it", async () => {
  await using project = await folderWith({
    "resources_servers/own/app.py": 'open("it_ran", "w")\n',
    "server.yaml": { server: { resources_servers: { own: { entrypoint: "app.py", domain: "other" } } } },
  });
  const run = (...argv: string[]): Promise<CommandResult> =>
    runCommand([binary(argv[0] as string), ...argv.slice(1)], surroundings(project));
  const config = "+config_paths=[server.yaml]";
  const block = "++server.resources_servers.own";
  const dry = ["ng-run", config, "+dry_run=true"];
  expect(await run(...dry)).toMatchObject({ exitCode: 0, stdout: "Dry run: 1 servers can be started: server\n" });
  expect(await run("ng-validate", config, "--offline")).toMatchObject({ exitCode: 0, stdout: "✓ Config is valid.\n" });
  for (const [change, told] of [
    [`${block}.python=python9`, /there is no Python interpreter python9 on the PATH/],
    [`${block}.entrypoint=other.py`, /own has no other\.py/],
  ] as const) {
    const refused = await run(...dry, change);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toMatch(told);
    const warned = await run("ng-validate", config, change, "--offline");
    expect(warned.exitCode).toBe(0);
    expect(warned.stderr).toMatch(/^Warning: 'server\.resources_servers\.own' cannot be started: /m);
    expect(warned.stderr).toMatch(told);
    expect((await run("ng-validate", config, change, "--offline", "--strict")).exitCode).toBe(1);
  }
  expect(await project.list()).not.toContain("resources_servers/own/it_ran");
});
