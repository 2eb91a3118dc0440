/** Who holds a lock, and whether that process still runs. */
import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { isRecord } from "./row.ts";

export interface LockOwner {
  host: string;
  pid: number;
  /** In which process ids mean the same; null where the system does not tell. */
  namespace: string | null;
  /** Clock ticks from boot to the start of the process: tells two processes apart that had the same id. Null where the system does not tell. */
  started: string | null;
  since: string;
  /** Tells apart two locks of one process. */
  token: string;
}

export function ownerHere(): LockOwner {
  const { pid } = process;
  return { host: hostname(), pid, namespace: namespaceHere(), started: startOf(pid), since: new Date().toISOString(), token: randomUUID() };
}

/** Undefined for a text that no collection of ours wrote. */
export function ownerIn(text: string): LockOwner | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value) && typeof value.host === "string" && Number.isSafeInteger(value.pid)) return value as unknown as LockOwner;
  } catch {
    // Not JSON, so not ours.
  }
  return undefined;
}

/** A process of another machine or container cannot be asked and counts as running. */
export function isRunning(owner: LockOwner): boolean {
  if (owner.host !== hostname() || owner.namespace !== namespaceHere()) return true;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  const started = startOf(owner.pid);
  return started === null || owner.started === null || started === owner.started;
}

function namespaceHere(): string | null {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return null;
  }
}

function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name stands in brackets and may hold anything; of the fixed fields after it the first is the state, the twentieth the start.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? "ended" : (fields[19] ?? null);
  } catch {
    return null;
  }
}
