/** The `coverage/*` keys of agent and key metrics: present only where rows were masked or had failed. */
import type { NotesBuilder } from "./notes.ts";
import type { Id, Metrics } from "./types.ts";

export interface MaskCoverageInput {
  measuredTasks: ReadonlySet<Id>;
  /** Tasks with at least one masked or failed row. */
  unmeasuredTasks: ReadonlySet<Id>;
  measured: number;
  notes: Pick<NotesBuilder, "maskedCount" | "failedCount">;
}

export function maskCoverage({ measuredTasks, unmeasuredTasks, measured, notes }: MaskCoverageInput): Metrics {
  const masked = notes.maskedCount();
  const failed = notes.failedCount();
  if (masked + failed === 0) return {};
  return {
    "coverage/measured_rollouts": measured,
    "coverage/masked_rollouts": masked,
    ...(failed === 0 ? {} : { "coverage/failed_rollouts": failed }),
    "coverage/measured_tasks": measuredTasks.size,
    "coverage/fully_masked_tasks": [...unmeasuredTasks].filter((task) => !measuredTasks.has(task)).length,
  };
}
