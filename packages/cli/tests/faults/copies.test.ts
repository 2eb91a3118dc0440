/** `num_hosts`: the servers of a run in several processes. A rollout stays in the one it was given to; one that dies ends the run. */
import { startFakeUpstream, survivors } from "@ng-gym/testing";
import { expect, test } from "vitest";
import { answer, arrived, ROUTE } from "./endpoint.ts";
import { openScene, questions, type Scene } from "./scene.ts";

async function pidsOf(scene: Scene): Promise<number[]> {
  const port = scene.head.split("=")[1];
  const instances = (await (await fetch(`http://127.0.0.1:${port}/server_instances`)).json()) as { pids: number[] }[];
  return instances[0]?.pids ?? [];
}

test("a collection over two copies: both work, every rollout is scored once", async () => {
  const hold = { ...answer("\\boxed{B}"), hold: true as const };
  await using upstream = await startFakeUpstream({ scripts: { [ROUTE]: [hold] } });
  await using scene = await openScene({ upstream: upstream.url, rows: questions(8), run: ["+num_hosts=2"] });
  const collection = scene.startCollection(["--concurrency", "8"]);
  await arrived(upstream, 8);
  const status = (await (await fetch(`http://127.0.0.1:${scene.head.split("=")[1]}/ng_status`)).json()) as {
    hosts: { pid: number; hosting: string; servers: { name: string; inFlight: number }[] }[];
  };
  const copies = status.hosts.filter(({ hosting }) => hosting !== "launcher");
  const busy = copies.map(({ servers }) => servers.find(({ name }) => name === "mcqa_simple_agent")?.inFlight);
  // A rollout is the run and the loop, which the agent asks of itself.
  expect(busy).toEqual([8, 8]);
  expect(copies.map(({ pid }) => pid)).toEqual(await pidsOf(scene));
  upstream.release(ROUTE);
  expect((await collection.exited).stdout).toMatch(/expected +8\n +scored +8\n +failed +0\n/);
  expect((await scene.rows()).map((row) => row.reward)).toEqual(Array.from({ length: 8 }, () => 1));
  expect(scene.servers.stdout).toMatch(/^ {2}mcqa_simple_agent .* \d+, \d+ shared$/m);
});

test("a launcher that is killed takes its copies with it", async () => {
  await using scene = await openScene({ run: ["+num_hosts=2"] });
  const tree = scene.servers.tree();
  expect(tree.length).toBeGreaterThanOrEqual(3);
  scene.servers.kill("SIGKILL");
  await scene.servers.exited;
  expect(await survivors(tree)).toEqual([]);
});

test("a copy that is killed ends the run by its name and last lines; nothing is left", async () => {
  const hold = { ...answer("\\boxed{B}"), hold: true as const };
  await using upstream = await startFakeUpstream({ scripts: { [ROUTE]: [answer("\\boxed{B}"), answer("\\boxed{B}"), hold] } });
  await using scene = await openScene({ upstream: upstream.url, rows: questions(6), run: ["+num_hosts=2"] });
  const servers = scene.servers.tree();
  const [, second = 0] = await pidsOf(scene);
  const collection = scene.startCollection(["--concurrency", "2"]);
  await arrived(upstream, 4);
  process.kill(second, "SIGKILL");

  const { exitCode, stderr } = await scene.servers.exited;
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^shared host 2 of 2 ended \(SIGKILL\)/m);
  expect(stderr).toMatch(new RegExp(`^Error: shared host 2 of 2 \\(process ${second}\\) was ended by SIGKILL`, "m"));
  expect(stderr).toContain("[NG_ERR_SERVER_DIED]");
  expect(await survivors(servers)).toEqual([]);
  const { stdout } = await collection.exited;
  const [, scored, failed, missing] = /scored +(\d+)\n +failed +(\d+)\n +missing +(\d+)\n/.exec(stdout) ?? [];
  expect([Number(scored), Number(failed) + Number(missing)]).toEqual([2, 4]);
  for (const row of await scene.rows("r_failures.jsonl")) expect(row).not.toHaveProperty("reward");
});
