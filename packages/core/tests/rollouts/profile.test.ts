import { existsSync, readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { describeGolden } from "@ng-gym/testing";
import { expect } from "vitest";
import { type ProfileResult, parseProfileParameters, profileRewards } from "../../src/rollouts/index.ts";
import { expand, expectSame, type Foreign, linesText, scratch, writeFiles } from "./recipes.ts";

async function profile(input: Foreign, folder: string): Promise<ProfileResult> {
  const name = input.rollouts_name ?? "rollouts.jsonl";
  if (input.inputs !== null) writeFiles(folder, { "inputs.jsonl": linesText(input.inputs) });
  if (input.rollouts !== null) writeFiles(folder, { [name]: linesText(input.rollouts) });
  const parameters = parseProfileParameters({
    materialized_inputs_jsonl_fpath: "inputs.jsonl",
    rollouts_jsonl_fpath: name,
    ...input.config,
  });
  return profileRewards({ parameters, cwd: folder, env: {} });
}

function summaryOf(result: ProfileResult): Foreign {
  const { total, complete, partial, missing } = result.tasks;
  return {
    completed: result.completed,
    expected: result.expected,
    pct: result.completionPct.toFixed(2),
    tasks_total: total,
    tasks_complete: complete,
    tasks_partial: partial,
    tasks_missing: missing,
    masked: result.masked,
  };
}

function filesOf(folder: string, paths: string[]): Record<string, Foreign> {
  return Object.fromEntries(
    paths.map((path) => {
      const text = readFileSync(path, "utf8");
      const isLines = path.endsWith(".jsonl");
      // Compact text, the last line ended where it is a file of lines.
      const value = isLines
        ? text
            .split("\n")
            .slice(0, -1)
            .map((line) => JSON.parse(line))
        : JSON.parse(text);
      if (isLines) expect(text === "" || text.endsWith("\n")).toBe(true);
      else expect(text).toBe(JSON.stringify(value));
      return [path.slice(folder.length + 1), value];
    }),
  );
}

describeGolden("rollouts/reward_profile.jsonl", {
  exceptions: {},
  check: async ({ input: raw, expected }) => {
    const input = expand(raw);
    const folder = scratch();
    try {
      const wanted = expected.reference_bug === true && typeof expected.ours === "object" ? expected.ours : expected;
      if (wanted.error !== undefined) {
        await expect(profile(input, folder)).rejects.toThrow();
        const written = readdirSync(folder).filter((name) => /_(reward_profiling|agent_metrics|repeat_level_metrics)\./.test(name));
        expect(written).toEqual([]);
        return;
      }
      const result = await profile(input, folder);
      expect(readdirSync(dirname(result.paths.profile)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
      expect(summaryOf(result)).toEqual(wanted.summary);
      const paths = Object.values(result.paths).filter((path) => existsSync(path));
      const files = filesOf(folder, paths);
      expect(Object.keys(files).sort()).toEqual(Object.keys(wanted.files).sort());
      for (const [name, value] of Object.entries(wanted.files)) expectSame(files[name], value);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
});
