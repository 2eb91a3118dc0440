/** What a reward profile covers, and where it is. */
import type { ProfileResult } from "@ng-gym/core/rollouts";
import { columns } from "./format.ts";

export function profileText(result: ProfileResult): string {
  const { tasks, paths } = result;
  const counts = columns([
    ["rollouts", `${result.completed} of ${result.expected} (${Number(result.completionPct.toFixed(2))} %)`],
    ...(result.masked > 0 ? [["masked", String(result.masked)]] : []),
    ["tasks", String(tasks.total)],
    ["complete", String(tasks.complete)],
    ["partial", String(tasks.partial)],
    ["missing", String(tasks.missing)],
  ]);
  return `${counts}\nFiles:\n  by task    ${paths.profile}\n  by agent   ${paths.agentMetrics}\n  by repeat  ${paths.repeatLevelMetrics}\n`;
}
