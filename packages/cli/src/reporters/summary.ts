/** The table at the end of a collection: what was asked, what came back, what it says, and where it is. */
import type { RewardSummary, RunSummary } from "@ng-gym/core/rollouts";
import { columns, duration, oneLine, percent, score } from "./format.ts";

/** Kinds of failure shown; the file beside the rollouts has all. */
const FAILURES_SHOWN = 10;

export function summaryText(summary: RunSummary): string {
  return `${[counts(summary), failures(summary), rewards(summary), latency(summary), remarks(summary), files(summary)].filter((part) => part !== "").join("\n")}`;
}

function counts(summary: RunSummary): string {
  const rows: [string, string][] = [
    ["expected", String(summary.expected)],
    ["scored", String(summary.scored)],
    ["failed", String(summary.failed)],
    ["missing", String(summary.missing)],
  ];
  for (const [name, count] of [
    ["masked", summary.masked],
    ["without reward", summary.unscored],
    ["counted as zero", summary.imputed],
  ] as const) {
    if (count > 0) rows.push([name, String(count)]);
  }
  rows.push(["coverage", percent(summary.coverage)]);
  return columns(rows);
}

function failures(summary: RunSummary): string {
  if (summary.failures.length === 0) return "";
  const shown = summary.failures.slice(0, FAILURES_SHOWN).map((one) => {
    const kind = one.failureKind === undefined ? "" : ` (${one.failureKind})`;
    return `  ${oneLine(`${one.count} x ${one.failureClass}${kind}${one.example === undefined ? "" : `: ${one.example}`}`)}\n`;
  });
  const rest = summary.failures.length - shown.length;
  return `Failed, not part of any score:\n${shown.join("")}${rest > 0 ? `  and ${rest} more kinds in ${summary.paths.failures}\n` : ""}`;
}

function rewards(summary: RunSummary): string {
  const groups = summary.groups.length === 1 ? summary.groups : [...summary.groups, { ...summary.overall, label: "all" }];
  if (summary.scored === 0) return "";
  const ks = [...new Set(groups.flatMap((group) => group.passAtK.map((one) => one.k)))].sort((a, b) => a - b);
  const head = ["agent", "tasks", "rollouts", "mean reward", "95 % interval", ...ks.map((k) => `pass@${k}`)];
  const table = columns([head, ...groups.map((group) => [group.label, ...rewardCells(group), ...ks.map((k) => passCell(group, k))])]);
  return `${table}  The interval is over tasks: repeats of one task count as one cluster.\n`;
}

function rewardCells(group: RewardSummary): string[] {
  const interval = group.interval === undefined ? "-" : `${score(group.interval.low)} to ${score(group.interval.high)}`;
  return [String(group.tasks), String(group.rollouts), score(group.meanReward), interval];
}

function passCell(group: RewardSummary, k: number): string {
  const one = group.passAtK.find((entry) => entry.k === k);
  if (one === undefined) return "-";
  const of = one.skippedTasks > 0 ? `${one.tasks} of ${one.tasks + one.skippedTasks}` : String(one.tasks);
  return `${score(one.value)} (${of} tasks)`;
}

function latency({ latency: seconds, run }: RunSummary): string {
  const parts =
    seconds === undefined
      ? []
      : [
          `a rollout takes ${duration(seconds.median)} (median), ${duration(seconds.p90)} (p90), ${duration(seconds.p99)} (p99), ${duration(seconds.max)} (max)`,
        ];
  return `  ${[`${run.dispatched - run.unresolved} run in ${duration(run.elapsedS)}`, ...parts].join("; ")}\n`;
}

function remarks(summary: RunSummary): string {
  const lines: string[] = [];
  if (summary.simulated.length > 0)
    lines.push(`SIMULATED: ${summary.simulated.join(", ")} is no model; these numbers say nothing about one.`);
  if (summary.run.interrupted) lines.push("Interrupted: the same command with --resume goes on.");
  else if (summary.missing > 0 || summary.failed > 0)
    lines.push(
      `Incomplete: ${summary.missing + summary.failed} of ${summary.expected} rollouts are in no score; the same command with --resume runs those that have attempts left (NEMO_GYM_MAX_ROLLOUT_ATTEMPTS, 3 where unset).`,
    );
  if (summary.withoutOutput > 0)
    lines.push(
      `${summary.withoutOutput} of the scored rollouts hold no output of a model: the agent may never have called it, and their rewards measure nothing then.`,
    );
  if (summary.run.drained > 0) lines.push(`${summary.run.drained} rollouts were not started: the time budget was spent.`);
  for (const tail of summary.droppedTail) lines.push(`A line cut off in the middle was dropped from ${tail.path} (${tail.bytes} bytes).`);
  for (const path of summary.archived) lines.push(`Moved out of the way: ${path}`);
  return lines.map((line) => `  ${oneLine(line)}\n`).join("");
}

function files({ paths, failed }: RunSummary): string {
  const rows: [string, string | undefined][] = [
    ["rollouts", paths.rollouts],
    ["failures", failed > 0 ? paths.failures : undefined],
    ["inputs", paths.materialized],
    ["metrics", paths.metrics],
    ["manifest", paths.manifest],
  ];
  return `Files:\n${rows
    .filter(([, path]) => path !== undefined)
    .map(([name, path]) => `  ${name.padEnd(9)} ${oneLine(path ?? "")}\n`)
    .join("")}`;
}
