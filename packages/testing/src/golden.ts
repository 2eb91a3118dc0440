/**
 * The golden runner. A golden file holds inputs with the answers of the reference; a test file runs all of them with `describeGolden`.
 *
 * Each case ends as equal (our answer is the reference's), excepted (we differ on purpose: the reason is given beside the id and the case
 * must really differ, so that the list cannot go stale) or pending (its part of the product is not built yet: counted by name).
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";

export const GOLDEN_DIR: string = fileURLToPath(new URL("../golden/", import.meta.url));

// biome-ignore lint/suspicious/noExplicitAny: a golden is foreign JSON; each runner knows the shape of its own file
type Foreign = any;

export interface GoldenCase {
  id: string;
  note: string;
  input: Foreign;
  expected: Foreign;
}

export interface GoldenRun {
  /** Runs one case and throws (an `expect` that fails) where our answer is not the expected one. */
  check: (golden: GoldenCase) => void | Promise<void>;
  /** Case id -> why we differ; cites `decisions.md` or the golden's `ours`. `check` must fail for each of them. */
  exceptions?: Record<string, string | GoldenException>;
  /** Names the missing part of the product for a case that cannot run yet. */
  pending?: (golden: GoldenCase) => string | undefined;
  /** Cases run side by side: they wait more than they work, and share nothing. */
  concurrent?: boolean;
}

export interface GoldenException {
  reason: string;
  /** Runs after `check` and throws where our answer is not what we decided on. */
  ours: (golden: GoldenCase) => void | Promise<void>;
}

/** Files that are counted as one, each a case or many. */
export interface GoldenSet {
  name: string;
  paths: readonly string[];
}

/** Cases of `<area>/<file>.jsonl`, or of one `<area>/<file>.json` transcript. */
export function readGolden(path: string): GoldenCase[] {
  const text = readFileSync(GOLDEN_DIR + path, "utf8");
  if (path.endsWith(".json")) return [JSON.parse(text)];
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** Registers one test a case; prints `golden <name>: N equal, N excepted, N pending (names)` at the end. */
export function describeGolden(source: string | GoldenSet, run: GoldenRun): void {
  const { name, paths } = typeof source === "string" ? { name: source, paths: [source] } : source;
  const exceptions = run.exceptions ?? {};
  const cases = paths.flatMap(readGolden);
  const testCase = run.concurrent === true ? test.concurrent : test;
  describe(`golden ${name}`, () => {
    const counts = { equal: 0, excepted: 0 };
    const pending: string[] = [];
    for (const golden of cases) {
      const missing = run.pending?.(golden);
      if (missing !== undefined) {
        pending.push(`${golden.id}: ${missing}`);
        continue;
      }
      const exception = exceptions[golden.id];
      const { reason, ours } = typeof exception === "string" ? { reason: exception, ours: undefined } : (exception ?? {});
      testCase(`${golden.id}: ${golden.note}`, async () => {
        if (reason === undefined) {
          await run.check(golden);
          counts.equal++;
          return;
        }
        expect(reason, "an exception cites decisions.md or the golden's ours").toMatch(/decisions\.md|ours/);
        await expect((async () => run.check(golden))(), `excepted (${reason}) but equal: remove the exception`).rejects.toThrow();
        await ours?.(golden);
        counts.excepted++;
      });
    }
    test("exceptions name cases that there are", () => {
      const ids = new Set(cases.map((golden) => golden.id));
      expect(Object.keys(exceptions).filter((id) => !ids.has(id))).toEqual([]);
    });
    afterAll(() => {
      const missing = pending.length > 0 ? ` (${pending.join("; ")})` : "";
      process.stdout.write(`golden ${name}: ${counts.equal} equal, ${counts.excepted} excepted, ${pending.length} pending${missing}\n`);
    });
  });
}
