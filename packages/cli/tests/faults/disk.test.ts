/** A disk that is full: a small tmpfs, where this user may mount one. */
import { execFileSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { startFakeUpstream } from "@ng-gym/testing";
import { expect, test } from "vitest";
import { answer, ROUTE } from "./endpoint.ts";
import { openScene, questions, type Row, rowsOf, type Scene } from "./scene.ts";

const mayMount = ((): boolean => {
  try {
    execFileSync("unshare", ["--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();
const why = mayMount ? "" : " (skipped: this user may not mount a tmpfs)";
const onDisk = mayMount ? test : test.skip;

interface Disk extends AsyncDisposable {
  grow(size: string): void;
}

async function smallDisk(path: string, size: string): Promise<Disk> {
  await mkdir(path);
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", path]);
  return {
    grow: (more) => void execFileSync("mount", ["-o", `remount,size=${more}`, path]),
    [Symbol.asyncDispose]: async () => void execFileSync("umount", [path]),
  };
}

const LARGE = `${"x".repeat(20_000)} \\boxed{B}`;
const TOTAL = 40;

async function diskRows(scene: Scene, name: string): Promise<Row[]> {
  const text = await scene.project.read(`disk/${name}`).catch(() => "");
  expect(text === "" || text.endsWith("\n")).toBe(true);
  return rowsOf(text);
}

onDisk(`full in the middle of a run: finished rows are kept whole, the reason is told, resume completes it${why}`, async () => {
  await using upstream = await startFakeUpstream({ scripts: { [ROUTE]: [answer(LARGE)] } });
  await using scene = await openScene({ upstream: upstream.url, hosting: "process", rows: questions(TOTAL) });
  await using disk = await smallDisk(scene.project.file("disk"), "400k");
  const words = ["-o", "disk/r.jsonl", "--concurrency", "4"];
  const full = await scene.collect(words);
  expect(full.exitCode).toBe(1);
  expect(full.stderr).toMatch(/^Error: cannot write .*disk\/r\.jsonl: no space left on the disk\n.*resume.*\n.*\[NG_ERR_FILE\]/m);
  const kept = await diskRows(scene, "r.jsonl");
  expect(kept.length).toBeGreaterThan(3);
  expect(kept.length).toBeLessThan(TOTAL);
  expect(full.stdout).toMatch(
    new RegExp(`expected +${TOTAL}\\n +scored +${kept.length}\\n +failed +0\\n +missing +${TOTAL - kept.length}\\n`),
  );

  // Still full: said again, and nothing that was there is lost.
  const again = await scene.collect([...words, "--resume"]);
  expect(again.exitCode).toBe(1);
  expect(again.stderr).toMatch(/no space left on the disk/);
  expect((await diskRows(scene, "r.jsonl")).length).toBeGreaterThanOrEqual(kept.length);

  disk.grow("8m");
  const resumed = await scene.collect([...words, "--resume", "--strict"]);
  expect(resumed).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/scored +40\n/) });
  const keys = (await diskRows(scene, "r.jsonl")).map((row) => row._ng_task_index);
  expect(new Set(keys).size).toBe(TOTAL);
  expect(keys).toHaveLength(TOTAL);
});

onDisk(`full before the run: said before anything is sent, nothing is left behind${why}`, async () => {
  await using upstream = await startFakeUpstream({ scripts: { [ROUTE]: [answer("\\boxed{B}")] } });
  await using scene = await openScene({ upstream: upstream.url, rows: questions(TOTAL) });
  await using _disk = await smallDisk(scene.project.file("disk"), "4k");
  const { exitCode, stdout, stderr } = await scene.collect(["-o", "disk/r.jsonl"]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(stderr).toMatch(/^Error: cannot write .*disk\/.*: no space left on the disk/m);
  expect(upstream.stats.byRoute[ROUTE]).toBeUndefined();
  expect((await scene.project.list()).filter((name) => name.startsWith("disk/"))).toEqual([]);
});
