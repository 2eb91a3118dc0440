/** The collector is killed, interrupted or started twice: finished rows are kept, and going on gives what a run in one go gives. */
import { appendFile, readdir, readFile, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { startFakeUpstream } from "@ng-gym/testing";
import { describe, expect, test } from "vitest";
import { answer, arrived, modelCalls, ROUTE } from "./endpoint.ts";
import { openScene, questions, type Row, type Scene } from "./scene.ts";

const REPEATS = ["--num-repeats", "2", "--concurrency", "3", "+num_repeats_add_seed=true"];
const TOTAL = 24;
/** Slow enough that a run can be stopped in its middle. */
const SLOW = ["++policy_model.responses_api_models.simulated_model.latency_ms=40"];

describe.each(["shared", "process"] as const)("%s hosting", (hosting) => {
  test.each(["SIGKILL", "SIGINT", "SIGTERM"] as const)("%s at half, then resume: the union is a run in one go", async (signal) => {
    await using scene = await openScene({ rows: questions(TOTAL / 2), hosting, run: SLOW });
    const cut = scene.startCollection(REPEATS);
    await untilLines(scene, TOTAL / 2);
    cut.kill(signal);
    const ended = await cut.exited;
    if (signal === "SIGKILL") {
      expect(ended.signal).toBe("SIGKILL");
      // What a kill in the middle of a write leaves.
      await appendFile(scene.project.file("out/r.jsonl"), '{"_ng_task_index": 11, "_ng_rollo');
    } else {
      expect(ended.exitCode).toBe(130);
      expect(ended.stdout).toMatch(/expected +24\n +scored +1\d\n +failed +0\n +missing +\d+\n[\s\S]*Interrupted: .*--resume/);
      expect(ended.stderr).not.toMatch(/^Error/m);
    }
    const whole = await scene.collect([...REPEATS, "-o", "out/whole.jsonl"]);
    const resumed = await scene.collect([...REPEATS, "--resume", "--strict"]);
    expect(whole.exitCode).toBe(0);
    expect(resumed.exitCode).toBe(0);
    if (signal === "SIGKILL") expect(resumed.stderr).toMatch(/r\.jsonl ended in a torn line; \d+ bytes were dropped/);
    expect(resumed.stdout).toMatch(/scored +24\n +failed +0\n +missing +0\n +coverage +100 %/);

    const expected = byKey(await scene.rows("whole.jsonl"));
    expect(expected.size).toBe(TOTAL);
    const rows = await scene.rows();
    expect(rows).toHaveLength(TOTAL);
    expect(byKey(rows)).toEqual(expected);
    expect(new Set(rows.map((row) => row.reward))).toEqual(new Set([0, 1]));
    expect(await metrics(scene, "r")).toEqual(await metrics(scene, "whole"));
    expect((await readdir(scene.project.file("out"))).filter((name) => /lock|tmp/.test(name))).toEqual([]);
  });
});

test("SIGINT twice: exit 130, whole lines, nothing left; what was in flight is given up at the endpoint too", async () => {
  await using upstream = await startFakeUpstream({ scripts: { [ROUTE]: [answer("\\boxed{B}"), { hang: true }] } });
  await using scene = await openScene({ upstream: upstream.url, hosting: "process" });
  const collection = scene.startCollection();
  await arrived(upstream, 4);
  await untilLines(scene, 1);
  collection.kill("SIGINT");
  await collection.waitForLine(/^Stopping in order/);
  collection.kill("SIGINT");
  expect((await collection.exited).exitCode).toBe(130);
  expect(await scene.rows()).toHaveLength(1);
  expect(await scene.rows("r_failures.jsonl")).toEqual([]);
  await upstream.settled();
  expect(upstream.stats.cancelled).toBe(3);
  upstream.script(ROUTE, [answer("\\boxed{B}")]);
  expect((await scene.collect(["--resume", "--strict"])).exitCode).toBe(0);
});

test("a second collection on the same output is refused and told whose it is; the first goes on", async () => {
  const held = { ...answer("\\boxed{B}"), hold: true as const };
  await using upstream = await startFakeUpstream({ scripts: { [ROUTE]: [held] } });
  await using scene = await openScene({ upstream: upstream.url });
  const first = scene.startCollection();
  await arrived(upstream, 4);
  for (const words of [[], ["--resume"], ["-o", "out/r.json"]]) {
    const second = await scene.collect(words);
    expect(second).toMatchObject({ exitCode: 1, stdout: "" });
    expect(second.stderr).toMatch(new RegExp(`^Error: another collection writes .*out/r\\.jsonl?: process ${first.pid} on `, "m"));
    expect(second.stderr).toContain("[NG_ERR_FILE]");
  }
  upstream.script(ROUTE, [answer("\\boxed{B}")]);
  upstream.release(ROUTE);
  expect(await first.exited).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/scored +4\n/) });
  expect(await scene.rows()).toHaveLength(4);
  expect(await readdir(scene.project.file("out"))).not.toContainEqual(expect.stringMatching(/lock|archived/));
});

test("many collections started at once on one output: exactly one runs", async () => {
  const held = { ...answer("\\boxed{B}"), hold: true as const };
  await using upstream = await startFakeUpstream({ scripts: { [ROUTE]: [held] } });
  await using scene = await openScene({ upstream: upstream.url });
  const all = Array.from({ length: 4 }, () => scene.startCollection());
  const losers = await firstEnded(all, 3);
  for (const { exitCode, stderr } of losers) {
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^Error: another collection writes/m);
  }
  await arrived(upstream, 4);
  upstream.release(ROUTE);
  expect((await Promise.all(all.map(({ exited }) => exited))).map(({ exitCode }) => exitCode).sort()).toEqual([0, 1, 1, 1]);
  expect(modelCalls(upstream)).toBe(4);
  expect(await scene.rows()).toHaveLength(4);
});

test("a lock that a killed collection left is taken over; one that nobody can read is not", async () => {
  await using upstream = await startFakeUpstream({ scripts: { [ROUTE]: [{ hang: true }] } });
  await using scene = await openScene({ upstream: upstream.url });
  const killed = scene.startCollection();
  await arrived(upstream, 4);
  killed.kill("SIGKILL");
  await killed.exited;
  const lock = scene.project.file("out/r.lock");
  const left = await readFile(lock, "utf8");
  upstream.script(ROUTE, [answer("\\boxed{B}")]);
  expect((await scene.collect(["--resume", "--strict"])).exitCode).toBe(0);

  // The same process id, now of somebody else: of this very test.
  await writeFile(lock, JSON.stringify({ ...JSON.parse(left), pid: process.pid }));
  expect((await scene.collect()).exitCode).toBe(0);
  for (const foreign of ["", "what?", JSON.stringify({ ...JSON.parse(left), host: "elsewhere" })]) {
    await writeFile(lock, foreign);
    expect(await scene.collect()).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(`remove ${lock}`) });
  }
});

/** Waits until that many results are in the file. */
async function untilLines(scene: Scene, count: number): Promise<void> {
  const lines = async (): Promise<number> => (await scene.project.read("out/r.jsonl").catch(() => "")).split("\n").length - 1;
  while ((await lines()) < count) await sleep(5);
}

async function firstEnded<T>(commands: readonly { exited: Promise<T> }[], count: number): Promise<T[]> {
  const ended: T[] = [];
  await new Promise<void>((resolve) => {
    for (const { exited } of commands) void exited.then((result) => (ended.push(result) >= count ? resolve() : undefined));
  });
  return ended;
}

/** What must not depend on how often a run was stopped: the reward and the text of each rollout. */
function byKey(rows: readonly Row[]): Map<string, unknown> {
  return new Map(rows.map((row) => [`${row._ng_task_index}-${row._ng_rollout_index}`, { reward: row.reward, output: textOf(row) }]));
}

function textOf(row: Row): unknown {
  const { output } = row.response as { output: { content?: { text: string }[] }[] };
  return output.map(({ content }) => content?.[0]?.text);
}

async function metrics(scene: Scene, stem: string): Promise<unknown> {
  const entries = JSON.parse(await scene.project.read(`out/${stem}_aggregate_metrics.json`)) as { key_metrics?: unknown }[];
  return entries.map(({ key_metrics }) => key_metrics);
}
