/** What children do to their launcher, and how a run ends: bounded, named, with nothing left. Real commands, real processes. */
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { type CommandResult, runCommand, startCommand, startFakeUpstream, survivors, type TempProject } from "@ng-gym/testing";
import { describe, expect, test } from "vitest";
import { answer, arrived, ROUTE } from "./endpoint.ts";
import { binary, expectClean, folderWith, openScene, questions, surroundings } from "./scene.ts";

process.env.NEMO_GYM_EXTRA_ROOTS = fileURLToPath(new URL("../../../core/tests/servers/hosting-python/fixtures", import.meta.url));
process.env.PYTHONDONTWRITEBYTECODE = "1";

const LIB = `${process.env.NEMO_GYM_EXTRA_ROOTS}/lib`;
const START = [binary("ng-run"), "+config_paths=[server.yaml]", "+head_server.port=0"];

/** A project with one server in Python, `server`, which runs this before it serves. */
function withServer(before: string, top: object = {}): Promise<TempProject> {
  const app = `import os, signal, sys, time\nsys.path.insert(0, ${JSON.stringify(LIB)})\nfrom mini_gym import serve\n${before}\nserve("Own", {})\n`;
  const server = { resources_servers: { own: { entrypoint: "app.py", domain: "other" } } };
  return folderWith({ "resources_servers/own/app.py": app, "server.yaml": { server, ...top } });
}

const NODE_SERVER = `
import { ResourcesServer, resourcesServerConfig, serve } from "@ng-gym/core/servers";
process.on("SIGTERM", () => {});
export default class Own extends ResourcesServer {
  static configSchema = resourcesServerConfig;
  verify() { return { reward: 0 }; }
  async start() { BEFORE }
}
await serve(import.meta, Own);
`;

/** The same with a server of ours in a process of its own. */
async function withNodeServer(before: string, top: object = {}): Promise<TempProject> {
  const server = { resources_servers: { own: { entrypoint: "app.ts", domain: "other", hosting: "process" } } };
  const project = await folderWith({
    "resources_servers/own/app.ts": NODE_SERVER.replace("BEFORE", before),
    "package.json": { type: "module" },
    "server.yaml": { server, ...top },
  });
  const { symlink } = await import("node:fs/promises");
  await symlink(fileURLToPath(new URL("../../../../node_modules", import.meta.url)), project.file("node_modules"));
  return project;
}

describe.each([
  ["Python", withServer],
  ["ours", withNodeServer],
] as const)("a child, %s", (language, project) => {
  const isPython = language === "Python";

  test("that writes 100 MB, a part of it without a line end, costs its launcher no memory", async () => {
    const flood = isPython
      ? 'sys.stdout.write("x" * 50_000_000 + "\\n")\nfor i in range(50): sys.stdout.write(("y" * 999_999) + "\\n")\nprint("all is said", flush=True)'
      : 'const out = (text) => new Promise((done) => process.stdout.write(text, done)); await out(`${"x".repeat(50_000_000)}\\n`); for (let i = 0; i < 50; i++) await out(`${"y".repeat(999_999)}\\n`); console.log("all is said");';
    await using place = await project(flood);
    await using run = startCommand(START, surroundings(place));
    await run.waitForLine(/all is said/);
    await run.waitForLine(/Ctrl-C stops/);
    const peak = Number(/VmHWM:\s+(\d+) kB/.exec(await peakOf(run.pid))?.[1]) / 1024;
    expect(peak).toBeLessThan(400);
    expect(run.stderr).toContain("more characters)");
    expect(run.stderr.length).toBeLessThan(3_000_000);
    run.kill("SIGINT");
    await expectClean(place, [await run.exited]);
  });

  test("that hangs in its start is named at the limit of the start, and killed", async () => {
    const hang = isPython
      ? "signal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(600)"
      : "await new Promise((r) => setTimeout(r, 600_000));";
    await using place = await project(hang, { server_spinup_timeout_seconds: 1.5 });
    const ended = await runCommand(START, surroundings(place));
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toMatch(/^waiting for 1 of 1 servers \(.*\): server$/m);
    expect(ended.stderr).toMatch(/^Error: not ready within server_spinup_timeout_seconds \(1.5\): server$/m);
    await expectClean(place, [ended]);
  });

  test("that prints its secrets: they are masked in the log and in the report of its end", async () => {
    const key = "a-key-of-nobody-42";
    const tell = isPython
      ? 'print("my key is", os.environ["NEMO_GYM_CONFIG_DICT"].split("policy_api_key: ")[1].split("\\n")[0], flush=True)\nsys.exit(3)'
      : 'console.log("my key is", this.global.get("policy_api_key")); console.error("my key is", this.global.get("policy_api_key")); await new Promise((r) => setTimeout(r, 200)); process.exit(3);';
    await using place = await project(tell, { policy_api_key: key });
    const ended = await runCommand(START, surroundings(place));
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toMatch(/^\[server\] my key is \*\*\*\*$/m);
    expect(ended.stderr).toMatch(/^Error: server .*its last lines:\n(?: .*\n)* +my key is \*\*\*\*$/m);
    expect(ended.stdout + ended.stderr).not.toContain(key);
    await expectClean(place, [ended]);
  });

  test("that ignores SIGTERM is killed after the grace period and named", async () => {
    const ignore = isPython ? "signal.signal(signal.SIGTERM, signal.SIG_IGN)" : "this.stop = () => new Promise(() => {});";
    await using place = await project(ignore);
    await using run = startCommand(START, surroundings(place));
    await run.waitForLine(/Ctrl-C stops/);
    const tree = run.tree();
    run.kill("SIGTERM");
    const ended = await run.exited;
    expect(ended.exitCode).toBe(130);
    if (isPython) expect(ended.stderr).toMatch(/^killed, because they did not stop in time: server$/m);
    expect(ended.stderr).toMatch(/^all servers are stopped$/m);
    expect(await survivors(tree)).toEqual([]);
    await expectClean(place, [ended]);
  });
});

async function peakOf(pid: number): Promise<string> {
  const { readFile } = await import("node:fs/promises");
  return readFile(`/proc/${pid}/status`, "utf8");
}

test("a second SIGINT while a Python server will not leave: all gone at once", async () => {
  await using place = await withServer("signal.signal(signal.SIGTERM, signal.SIG_IGN)");
  await using run = startCommand(START, surroundings(place));
  await run.waitForLine(/Ctrl-C stops/);
  const tree = run.tree();
  run.kill("SIGINT");
  await run.waitForLine(/^Stopping in order/);
  run.kill("SIGINT");
  expect((await run.exited).exitCode).toBe(130);
  expect(await survivors(tree, 2_000)).toEqual([]);
});

test("a fixed port that a Python server cannot have: the owner is named before anything starts", async () => {
  await using place = await withServer("");
  await using first = startCommand(START, surroundings(place));
  const port = (await first.waitForLine(/ server +resources_servers\/own +http:\/\/127\.0\.0\.1:(\d+)/))[1];
  const [child] = first.tree().filter(({ command }) => command.endsWith("app.py"));
  const second = await runCommand([...START, `++server.resources_servers.own.port=${port}`], surroundings(place));
  expect(second.exitCode).toBe(1);
  expect(second.stderr).toMatch(new RegExp(`server cannot listen on 127\\.0\\.0\\.1:${port}: the port is taken by process ${child?.pid} `));
  expect(second.stderr).not.toContain("waiting for");
  first.kill("SIGINT");
  const ended = await first.exited;
  // It is free again.
  await using third = startCommand([...START, `++server.resources_servers.own.port=${port}`], surroundings(place));
  await third.waitForLine(/Ctrl-C stops/);
  third.kill("SIGINT");
  await expectClean(place, [ended, second, await third.exited]);
});

describe.each(["shared", "process"] as const)("SIGTERM with 50 idle connections and a call under way, %s hosting", (hosting) => {
  test("the call is answered, and the run ends within 2 s of that", async () => {
    await using upstream = await startFakeUpstream({ scripts: { [ROUTE]: [{ ...answer("\\boxed{B}"), hold: true }] } });
    await using scene = await openScene({ upstream: upstream.url, hosting, rows: questions(1) });
    const address = (name: string): number =>
      Number(new RegExp(` ${name} .*http://127\\.0\\.0\\.1:(\\d+)`).exec(scene.servers.stdout)?.[1]);
    const idle = await Promise.all(
      ["mcqa", "policy_model"].flatMap((name) => Array.from({ length: 25 }, () => idleConnection(address(name)))),
    );
    const collection = scene.startCollection(["--disable-aggregation"]);
    await arrived(upstream, 1);
    scene.servers.kill("SIGTERM");
    await scene.servers.waitForLine(/^stopping servers/);
    const released = performance.now();
    upstream.release(ROUTE);
    const { exitCode, stderr } = await scene.servers.exited;
    expect(performance.now() - released).toBeLessThan(2_000);
    expect(exitCode).toBe(130);
    expect(stderr).not.toMatch(/killed|Error/);
    expect((await collection.exited).stdout).toMatch(/scored +1\n +failed +0\n/);
    for (const socket of idle) socket.destroy();
  });
});

/** A connection that has had its answer and waits. */
function idleConnection(port: number): Promise<ReturnType<typeof connect>> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n"));
    socket.once("data", () => resolve(socket));
    socket.once("error", reject);
    socket.on("error", () => {});
  });
}

test("runs that start at once share no port, Python servers among them", async () => {
  await using place = await withServer("", { port_range_low: 14_000, port_range_high: 14_063 });
  const runs = Array.from({ length: 8 }, () => startCommand(START, surroundings(place)));
  try {
    const ports = await Promise.all(
      runs.map(async (run) => (await run.waitForLine(/ server +resources_servers\/own +http:\S+:(\d+)/, 60_000))[1]),
    );
    expect(new Set(ports).size).toBe(runs.length);
    for (const run of runs) run.kill("SIGINT");
    const ended: CommandResult[] = await Promise.all(runs.map((run) => run.exited));
    expect(ended.map(({ exitCode }) => exitCode)).toEqual(runs.map(() => 130));
    await expectClean(place, ended);
  } finally {
    for (const run of runs) await run[Symbol.asyncDispose]();
  }
});
