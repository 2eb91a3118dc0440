/** What `/proc` says about running processes. Linux only. */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

export interface ProcessInfo {
  pid: number;
  parent: number;
  /** Clock ticks since boot: with the pid it names one process for good, since pids come back. */
  started: number;
  command: string;
}

const POLL_MS = 20;
/** How long `survivors` gives processes to end. */
export const SURVIVOR_WAIT_MS = 15_000;

/** The process and all its descendants, as they are now; `[]` where it is gone. A descendant whose parent died is no longer found: look before killing. */
export function processTree(pid: number): ProcessInfo[] {
  const all = processes();
  const tree = all.filter((info) => info.pid === pid);
  for (const info of tree) tree.push(...all.filter((child) => child.parent === info.pid));
  return tree;
}

/** Processes whose environment holds `name=value`: finds orphans too. */
export function processesWithVariable(name: string, value: string): ProcessInfo[] {
  return processes().filter(({ pid }) => readProc(pid, "environ").split("\0").includes(`${name}=${value}`));
}

/** Those of the processes that still run when all should have ended; looked at until none is left or the wait is over. */
export async function survivors(infos: readonly ProcessInfo[], waitMs: number = SURVIVOR_WAIT_MS): Promise<ProcessInfo[]> {
  return untilEmpty(() => infos.filter((info) => describe(info.pid)?.started === info.started), waitMs);
}

/** Repeats a look at the process table until it finds nothing or the wait is over. */
export async function untilEmpty(look: () => ProcessInfo[], waitMs: number = SURVIVOR_WAIT_MS): Promise<ProcessInfo[]> {
  const end = performance.now() + waitMs;
  for (;;) {
    const left = look();
    if (left.length === 0 || performance.now() > end) return left;
    await sleep(POLL_MS);
  }
}

function processes(): ProcessInfo[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => describe(Number(name)))
    .filter((info) => info !== undefined);
}

/** Undefined where there is no such process, or only its zombie. */
function describe(pid: number): ProcessInfo | undefined {
  // The name stands in brackets and may hold anything; the fields after it are fixed: state, parent, ... start time is the twentieth.
  const stat = readProc(pid, "stat");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (stat === "" || fields[0] === "Z" || fields[0] === "X") return undefined;
  return { pid, parent: Number(fields[1]), started: Number(fields[19]), command: readProc(pid, "cmdline").split("\0").join(" ").trim() };
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
