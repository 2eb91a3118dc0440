/** A case as a line of the table. */
export interface Case {
  rollouts: number;
  scored: number;
  failed: number;
  missing: number;
  /** Calls open at the endpoint at once. */
  mostOpen: number;
  callsEach: number;
  endpointErrors: number;
  /** From the start of the command. */
  firstRequestMs: number;
  /** From the start of the command until all rows are planned. */
  plannedMs: number;
  /** Time of the command less the time that the endpoint waits. */
  beyondWaitS: number;
  serversMb: number;
  collectorMb: number;
}

const COLUMNS: [string, (result: Case) => string][] = [
  ["rollouts", ({ rollouts }) => String(rollouts)],
  ["scored", ({ scored }) => String(scored)],
  ["failed", ({ failed, missing }) => String(failed + missing)],
  ["most open", ({ mostOpen }) => String(mostOpen)],
  ["calls each", ({ callsEach }) => callsEach.toFixed(3)],
  ["errors", ({ endpointErrors }) => String(endpointErrors)],
  ["planned ms", ({ plannedMs }) => plannedMs.toFixed(0)],
  ["first call ms", ({ firstRequestMs }) => firstRequestMs.toFixed(0)],
  ["time - wait s", ({ beyondWaitS }) => beyondWaitS.toFixed(1)],
  ["servers MB", ({ serversMb }) => serversMb.toFixed(0)],
  ["collector MB", ({ collectorMb }) => collectorMb.toFixed(0)],
  ["all MB", ({ serversMb, collectorMb }) => (serversMb + collectorMb).toFixed(0)],
  ["kB a rollout", ({ serversMb, collectorMb, rollouts }) => (((serversMb + collectorMb) * 1024) / rollouts).toFixed(0)],
];

export function header(): string {
  return COLUMNS.map(([name]) => name.padStart(9)).join("  ");
}

export function lineOf(result: Case): string {
  return COLUMNS.map(([name, cell]) => cell(result).padStart(Math.max(9, name.length))).join("  ");
}
