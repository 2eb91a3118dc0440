/** What must hold after a soak. */
import type { UpstreamCounts } from "./faulty-upstream.ts";
import type { Figures } from "./figures.ts";

export interface Check {
  what: string;
  ok: boolean;
  shown: string;
}

/** Of the summary that a collection prints with --json. */
export interface Summary {
  expected: number;
  scored: number;
  failed: number;
  missing: number;
  failures: { failure_class: string; failure_kind?: string; count: number }[];
  run: { dispatched: number; drained: number; unresolved: number };
}

type Row = Record<string, unknown>;

/** Heap after compared with heap before. */
const HEAP_TOLERANCE = 0.1;
/** Below this a difference is the size of one compiled function more or less. */
const HEAP_FLOOR_BYTES = 1_500_000;
/** Calls that the faults make necessary: 1 / (1 - 0.12) and some chance. */
const MOST_CALLS_A_ROLLOUT = 1.25;
/** How a rollout may fail here: its model never answers, or its agent was killed. */
const EXPECTED_KINDS = /^transport_(timeout|peer_drop)$/;
/** One call in 125,000 meets 500 three times, which is all that the retry table grants it: so many in a run of 60,000 are chance. */
const MOST_SPENT_BUDGETS = 3;

export interface Outcome {
  exitCode: number | undefined;
  summary: Summary;
  upstream: UpstreamCounts;
  rollouts: Row[];
  failures: Row[];
}

export function checkCounts({ exitCode, summary, upstream, rollouts, failures }: Outcome): Check[] {
  const { expected, scored, failed, missing, run } = summary;
  const done = new Set(rollouts.map(keyOf));
  const failedKeys = new Set(failures.map(keyOf));
  const both = [...failedKeys].filter((key) => done.has(key)).length;
  const spent = failures.filter((row) => row.failure_kind === "policy_model:upstream_status" && row._ng_failure_http_status === 500);
  const unknown = failures.filter((row) => !EXPECTED_KINDS.test(String(row.failure_kind)) && !spent.includes(row));
  const coloured = rollouts.filter((row) => row.reward !== 1).length;
  const kinds = summary.failures.map(({ failure_kind, count }) => `${count} ${failure_kind}`).join(", ");
  const perRollout = upstream.calls / Math.max(1, scored + failed);
  return [
    { what: "exit code of the collection", ok: exitCode === 0, shown: String(exitCode) },
    {
      what: "expected = scored + failed + missing",
      ok: expected === scored + failed + missing && scored > 0,
      shown: `${expected} = ${scored} + ${failed} + ${missing} (${run.drained} never started)`,
    },
    { what: "missing = not started or unresolved", ok: missing === run.unresolved, shown: `${missing} = ${run.unresolved}` },
    {
      what: "lines in files",
      ok: rollouts.length === scored && failures.length === failed,
      shown: `${rollouts.length} rollouts, ${failures.length} failures`,
    },
    {
      what: "no key twice",
      ok: done.size === rollouts.length && failedKeys.size === failures.length && both === 0,
      shown: `${rollouts.length - done.size}, ${failures.length - failedKeys.size}, ${both} in both`,
    },
    {
      what: "failures by kind",
      ok: unknown.length === 0 && spent.length <= MOST_SPENT_BUDGETS,
      shown: `${kinds}${unknown.length > 0 ? `; ${JSON.stringify(unknown[0])}` : ""}`,
    },
    { what: "rewards that a fault coloured", ok: coloured === 0, shown: String(coloured) },
    { what: "model calls a rollout", ok: upstream.calls >= scored && perRollout <= MOST_CALLS_A_ROLLOUT, shown: perRollout.toFixed(3) },
    {
      what: "faults given",
      ok: upstream.reset > 0 && upstream.busy > 0 && upstream.broken > 0 && upstream.silent > 0,
      shown: `${upstream.reset} resets, ${upstream.busy} x 429, ${upstream.broken} x 500, ${upstream.silent} silent of ${upstream.calls} calls`,
    },
  ];
}

export function checkMemory(before: ReadonlyMap<string, Figures>, after: ReadonlyMap<string, Figures>): Check[] {
  return [...before].flatMap(([role, was]) => {
    const now = after.get(role);
    if (now === undefined) return [{ what: `heap of ${role}`, ok: false, shown: "cannot be asked any more" }];
    const grown = now.heapBytes - was.heapBytes;
    const ok = grown <= Math.max(HEAP_FLOOR_BYTES, HEAP_TOLERANCE * was.heapBytes);
    const change = `${grown >= 0 ? "+" : ""}${((100 * grown) / was.heapBytes).toFixed(1)} %`;
    const anew = now.pid === was.pid ? "" : " (another process)";
    const shown = `${mb(was.heapBytes)} -> ${mb(now.heapBytes)} MB (${change}), resident ${mb(was.rssBytes)} -> ${mb(now.rssBytes)} MB${anew}`;
    const descriptors = {
      what: `descriptors of ${role}`,
      ok: now.descriptors <= was.descriptors + 2,
      shown: `${was.descriptors} -> ${now.descriptors}`,
    };
    return [{ what: `heap of ${role}`, ok, shown }, ...(role.startsWith("collector") ? [] : [descriptors])];
  });
}

export function checkLeft({ processes, files, open }: { processes: string[]; files: string[]; open: number }): Check[] {
  return [
    { what: "processes left", ok: processes.length === 0, shown: processes.join("; ") || "none" },
    { what: "files left in the temp folder", ok: files.length === 0, shown: files.join(", ") || "none" },
    { what: "calls still open at the endpoint", ok: open === 0, shown: String(open) },
  ];
}

function keyOf(row: Row): string {
  return `${row._ng_task_index}-${row._ng_rollout_index}`;
}

function mb(bytes: number): string {
  return (bytes / 1_048_576).toFixed(1);
}
