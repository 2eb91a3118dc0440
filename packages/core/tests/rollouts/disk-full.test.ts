import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { collectRollouts, parseCollectParameters } from "../../src/rollouts/index.ts";
import { type Foreign, linesText, scratch, writeFiles } from "./recipes.ts";
import { configOf, startScripted } from "./scripted.ts";

const folder = scratch();
const disk = join(folder, "small");
mkdirSync(disk);

/** A disk of 256 KiB, where this user may mount one. */
const mounted = ((): boolean => {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", disk], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

afterAll(() => {
  if (mounted) execFileSync("umount", [disk]);
  rmSync(folder, { recursive: true, force: true });
});

const run = mounted ? test : test.skip;
const why = mounted ? "" : " (skipped: this user may not mount a tmpfs)";

run(`a full disk ends the run with a clear error, keeps whole lines, and resume finishes it once there is space${why}`, async () => {
  let answers = 0;
  await using scripted = await startScripted({
    run: ({ body }) => {
      answers++;
      return { json: { reward: 1, filler: "x".repeat(10_000), echo: body._ng_task_index } };
    },
  });
  const input = Array.from({ length: 60 }, (_, n) => ({ responses_create_params: { input: `q${n}` }, agent_ref: { name: "a" } }));
  writeFiles(folder, { "in.jsonl": linesText(input) });
  const collect = (more: Foreign) => {
    const raw = {
      input_jsonl_fpath: join(folder, "in.jsonl"),
      output_jsonl_fpath: join(disk, "r.jsonl"),
      num_samples_in_parallel: 4,
      disable_aggregation: true,
      ...more,
    };
    const { parameters } = parseCollectParameters(raw);
    return collectRollouts({ client: scripted.client, servers: { config: configOf({ env: ["a"] }) }, parameters, env: {} });
  };
  const first = await collect({});
  expect(first).toMatchObject({
    exitCode: 1,
    problem: { code: "NG_ERR_FILE", message: expect.stringMatching(/no space left/), hint: expect.stringMatching(/resume/) },
  });
  expect(answers).toBeLessThan(60);
  const text = readFileSync(join(disk, "r.jsonl"), "utf8");
  expect(text.endsWith("\n")).toBe(true);
  const kept = text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  expect(kept.length).toBeGreaterThan(5);
  expect(first.summary).toMatchObject({ expected: 60, scored: kept.length, missing: 60 - kept.length, failed: 0 });
  execFileSync("mount", ["-o", "remount,size=4m", disk]);
  const second = await collect({ resume_from_cache: true });
  expect(second).toMatchObject({ exitCode: 0, summary: { scored: 60, missing: 0, run: { cached: kept.length }, droppedTail: [] } });
});
