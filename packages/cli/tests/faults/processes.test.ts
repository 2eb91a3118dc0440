/** Processes that are killed, interrupted or lose their reader: whoever is left ends honestly, keeps what is finished and leaves nothing running. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { processesWithVariable, startCommand, startFakeUpstream, survivors } from "@ng-gym/testing";
import { describe, expect, test } from "vitest";
import { answer, arrived, ROUTE } from "./endpoint.ts";
import { binary, expectClean, folderWith, openScene, questions, surroundings } from "./scene.ts";

const SERVE = [
  binary("ng-run"),
  "--resources-server",
  "mcqa",
  "--model-type",
  "simulated_model",
  "+head_server.port=0",
  "+policy_model_name=m",
];

test("an agent that is killed in the middle of a run: ng-run ends with its last lines, the collection keeps what is finished", async () => {
  const hold = { ...answer("\\boxed{B}"), hold: true as const };
  await using upstream = await startFakeUpstream({ scripts: { [ROUTE]: [answer("\\boxed{B}"), answer("\\boxed{B}"), hold] } });
  await using scene = await openScene({ upstream: upstream.url, hosting: "process", rows: questions(6) });
  const agent = scene.pidOf("mcqa_simple_agent");
  const servers = scene.servers.tree();
  const collection = scene.startCollection(["--concurrency", "2"]);
  // Two are answered, two wait at the endpoint, two were not started.
  await arrived(upstream, 4);
  process.kill(agent, "SIGKILL");

  const ended = await scene.servers.exited;
  expect(ended.exitCode).toBe(1);
  expect(ended.stderr).toMatch(/^mcqa_simple_agent ended \(SIGKILL\)/m);
  expect(ended.stderr).toMatch(new RegExp(`^Error: mcqa_simple_agent \\(process ${agent}\\) was ended by SIGKILL`, "m"));
  expect(ended.stderr).toContain("[NG_ERR_SERVER_DIED]");
  expect(await survivors(servers)).toEqual([]);

  // What was under way has not failed: a resume runs it, and no attempt is spent.
  const collected = await collection.exited;
  expect(collected.exitCode).toBe(1);
  expect(collected.stderr).toMatch(/^Error: the servers are gone: (the run at .* is being stopped|no head server answers at .*)$/m);
  expect(collected.stderr).toContain("[NG_ERR_SERVER_DIED]");
  expect(collected.stdout).toMatch(/expected +6\n +scored +2\n +failed +0\n +missing +4\n/);
  expect((await scene.rows()).map((row) => row.reward)).toEqual([1, 1]);
  expect(await scene.rows("r_failures.jsonl")).toEqual([]);
  // The half-done calls at the endpoint are given up.
  await upstream.settled();
  expect(upstream.stats.cancelled).toBe(2);
});

test("what a server said last is part of the report of its death", async () => {
  await using scene = await openScene({ hosting: "process" });
  process.kill(scene.pidOf("policy_model"), "SIGKILL");
  const { exitCode, stderr } = await scene.servers.exited;
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^Error: policy_model .*was ended by SIGKILL; its last lines:\n.*every answer is simulated/m);
});

describe.each(["shared", "process"] as const)("ng-run, %s hosting", (hosting) => {
  test("killed: no child is left, also when nobody reads its output any more", async () => {
    await using project = await folderWith({});
    const mark = randomUUID();
    const { cwd, env } = surroundings(project);
    const [file = "", ...words] = SERVE;
    const child = spawn(file, [...words, `+hosting=${hosting}`], {
      cwd,
      env: { ...process.env, ...env, MARK: mark },
      stdio: ["ignore", "pipe", "pipe"],
    });
    try {
      let url = "";
      for await (const line of createInterface({ input: child.stdout })) {
        url ||= /head server at (\S+)/.exec(line)?.[1] ?? "";
        if (line.includes("Ctrl-C stops")) break;
      }
      child.stdout.destroy();
      child.stderr.destroy();
      // It goes on without a reader: what it logs is lost, not its life.
      const instances = (await (await fetch(`${url}/server_instances`)).json()) as { url: string; config_path: string }[];
      const model = instances.find(({ config_path }) => config_path === "policy_model");
      for (let call = 0; call < 3; call++) {
        const answered = await fetch(`${model?.url}/v1/responses`, {
          method: "POST",
          body: '{"input": "x"}',
          headers: { "content-type": "application/json" },
        });
        expect(answered.status).toBe(200);
        await answered.text();
      }
      const running = processesWithVariable("MARK", mark);
      expect(running.length).toBe(hosting === "process" ? 4 : 1);
      child.kill("SIGKILL");
      expect(await survivors(running)).toEqual([]);
    } finally {
      child.kill("SIGKILL");
      for (const { pid } of processesWithVariable("MARK", mark)) process.kill(pid, "SIGKILL");
    }
    await expectClean(project, []);
  });

  test.each(["SIGINT", "SIGTERM"] as const)("%s while a call is open: in order and complete; a second one ends at once", async (signal) => {
    await using upstream = await startFakeUpstream({ scripts: { [ROUTE]: [{ hang: true }] } });
    await using scene = await openScene({ upstream: upstream.url, hosting, rows: questions(1) });
    const collection = scene.startCollection();
    await arrived(upstream, 1);
    const tree = scene.servers.tree();
    scene.servers.kill(signal);
    await scene.servers.waitForLine(/^Stopping in order/);
    scene.servers.kill(signal);
    const { exitCode, stderr } = await scene.servers.exited;
    expect(exitCode).toBe(130);
    expect(stderr).toMatch(/^Stopped at once\.$/m);
    expect(await survivors(tree)).toEqual([]);
    // The row in flight is unresolved, not failed: it costs no attempt.
    expect(await collection.exited).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^Error: the servers are gone: /m) });
    expect(await scene.rows("r_failures.jsonl")).toEqual([]);
  });

  test("SIGINT while a rollout is under way: it is finished first, verification too", async () => {
    await using upstream = await startFakeUpstream({ scripts: { [ROUTE]: [{ ...answer("\\boxed{B}"), hold: true }] } });
    await using scene = await openScene({ upstream: upstream.url, hosting, rows: questions(2) });
    const collection = scene.startCollection(["--disable-aggregation"]);
    await arrived(upstream, 2);
    scene.servers.kill("SIGINT");
    await scene.servers.waitForLine(/^stopping servers/);
    upstream.release(ROUTE);
    expect(await collection.exited).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/scored +2\n +failed +0\n/) });
    const { exitCode, stderr } = await scene.servers.exited;
    expect(exitCode).toBe(130);
    expect(stderr).toMatch(/^all servers are stopped$/m);
    expect(stderr).not.toMatch(/ended|killed|Error/);
  });

  test("SIGTERM with nothing to do: exit 130, all stopped", async () => {
    await using scene = await openScene({ hosting });
    const tree = scene.servers.tree();
    scene.servers.kill("SIGTERM");
    const { exitCode, stderr } = await scene.servers.exited;
    expect(exitCode).toBe(130);
    expect(stderr).toMatch(/^all servers are stopped$/m);
    expect(stderr).not.toMatch(/^Error/m);
    expect(await survivors(tree)).toEqual([]);
  });
});

test("SIGTERM to every process of a run at once: what is under way is finished first, and nobody is reported as dead", async () => {
  await using upstream = await startFakeUpstream({ scripts: { [ROUTE]: [{ ...answer("\\boxed{B}"), hold: true }] } });
  await using scene = await openScene({ upstream: upstream.url, hosting: "process", rows: questions(2) });
  const collection = scene.startCollection(["--disable-aggregation"]);
  await arrived(upstream, 2);
  const tree = scene.servers.tree();
  for (const { pid } of [...tree].reverse()) process.kill(pid, "SIGTERM");
  await scene.servers.waitForLine(/^stopping servers/);
  upstream.release(ROUTE);
  expect(await collection.exited).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/scored +2\n +failed +0\n/) });
  const { exitCode, stderr } = await scene.servers.exited;
  expect(exitCode).toBe(130);
  expect(stderr).not.toMatch(/ended|killed|Error/);
  expect(await survivors(tree)).toEqual([]);
});

test("a command that an old Node handed on to the Node of the install ends with its starter, however that ends", async () => {
  await using project = await folderWith({});
  const old = `data:text/javascript,if(!process.env.NG_OWN_NODE)Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.1.0"}})`;
  const launcher = fileURLToPath(new URL("../../bin/ng-run.js", import.meta.url));
  await using starter = startCommand(
    [process.execPath, "--import", old, launcher, ...SERVE.slice(1), "+hosting=process"],
    surroundings(project),
  );
  await starter.waitForLine(/Ctrl-C stops/);
  const tree = starter.tree();
  expect(tree).toHaveLength(5);
  starter.kill("SIGKILL");
  expect(await survivors(tree, 10_000)).toEqual([]);
});

test("two ng-run at once share no port; a third on the port of the first is told whose it is", async () => {
  await using project = await folderWith({});
  await using first = startCommand(SERVE, surroundings(project));
  await using second = startCommand(SERVE, surroundings(project));
  const head = /head server at http:\/\/127\.0\.0\.1:(\d+)/;
  const [port] = await Promise.all([first.waitForLine(head), second.waitForLine(head)]);
  await Promise.all([first.waitForLine(/Ctrl-C stops/), second.waitForLine(/Ctrl-C stops/)]);
  const ports = [first, second].flatMap(({ stdout }) => [...stdout.matchAll(/http:\/\/127\.0\.0\.1:(\d+)/g)].map((match) => match[1]));
  expect(ports).toHaveLength(10);
  expect(new Set(ports).size).toBe(10);

  await using third = startCommand([...SERVE, `++head_server.port=${port[1]}`], surroundings(project));
  const { exitCode, stderr } = await third.exited;
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(
    new RegExp(`^Error: the head server cannot listen on 127\\.0\\.0\\.1:${port[1]}: .* process ${first.pid} \\(.*ng-run`, "m"),
  );
  expect(stderr).toContain("[NG_ERR_PORT_IN_USE]");
  for (const running of [first, second]) running.kill("SIGINT");
  await expectClean(project, [await first.exited, await second.exited, await third.exited]);
});
