/** Agent and repeat level of a reward profile. */
import { baselineMetrics } from "./baseline.ts";
import { maskCoverage } from "./mask-coverage.ts";
import type { NotesBuilder } from "./notes.ts";
import type { AgentCoverage } from "./profile-completion.ts";
import { acrossRepeats, repeatLevelMetrics } from "./repeat-level.ts";
import { compareText } from "./row-fields.ts";
import type { RowStore } from "./row-store.ts";
import type { Id, Metrics } from "./types.ts";

export interface ProfileAgentsInput {
  store: RowStore;
  /** Measured rows by (task, rollout). */
  rows: readonly number[];
  ranks: readonly number[];
  labelOf: (row: number) => string | undefined;
  agents: ReadonlyMap<string, AgentCoverage>;
  notes: NotesBuilder;
}

/** Agents by name; those without a measured rollout come last, with their coverage only. Rows without an agent are in no entry. */
export function profileAgents(input: ProfileAgentsInput): { agentMetrics: Metrics[]; repeatLevelMetrics: Metrics[] } {
  const { store, ranks, notes } = input;
  const rowsOf = new Map<string, number[]>();
  for (const row of input.rows) {
    const label = input.labelOf(row);
    if (label === undefined) continue;
    const own = rowsOf.get(label);
    if (own === undefined) rowsOf.set(label, [row]);
    else own.push(row);
  }
  const agentMetrics: Metrics[] = [];
  const unmeasured: Metrics[] = [];
  const repeatLevel: Metrics[] = [];
  for (const [name, agent] of [...input.agents].sort(([a], [b]) => compareText(a, b))) {
    const rows = rowsOf.get(name) ?? [];
    const agentRef = { agent_ref: { name } };
    const coverage = maskCoverage({
      measuredTasks: new Set(rows.map((row) => store.tasks[row] as Id)),
      unmeasuredTasks: agent.unmeasuredTasks,
      measured: rows.length,
      notes: { maskedCount: () => agent.maskedRollouts, failedCount: () => agent.failedRollouts },
    });
    if (rows.length === 0) {
      unmeasured.push({ ...agentRef, ...coverage });
      continue;
    }
    const repeats = repeatLevelMetrics({ store, rows, notes });
    for (const entry of repeats) repeatLevel.push({ ...agentRef, ...entry });
    agentMetrics.push({
      ...baselineMetrics({ store, rows, ranks, notes }),
      ...agentRef,
      ...acrossRepeats(repeats, { notes }),
      ...coverage,
    });
  }
  return { agentMetrics: [...agentMetrics, ...unmeasured], repeatLevelMetrics: repeatLevel };
}
