/** What a process holds: heap after a garbage collection that it is asked for, resident memory, descriptors. Linux only. */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export interface Figures {
  pid: number;
  /** Heap and buffers in use after a collection. */
  heapBytes: number;
  rssBytes: number;
  descriptors: number;
}

const WAIT_MS = 20_000;
const POLL_MS = 20;

/** Environment under which processes can be asked. */
export function askable(folder: string): Record<string, string> {
  return {
    NG_BENCH_FIGURES: folder,
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --import ${fileURLToPath(new URL("gc-on-signal.mjs", import.meta.url))}`.trim(),
  };
}

/** Those of the processes that can be asked. */
export function askableOf(pids: readonly number[], folder: string): number[] {
  return pids.filter((pid) => existsSync(join(folder, `${pid}.up`)));
}

/** Undefined where the process is gone or does not answer in time. */
export async function figuresOf(pid: number, folder: string): Promise<Figures | undefined> {
  const file = join(folder, `${pid}.json`);
  rmSync(file, { force: true });
  try {
    process.kill(pid, "SIGUSR2");
  } catch {
    return undefined;
  }
  for (const end = performance.now() + WAIT_MS; !existsSync(file); await sleep(POLL_MS)) if (performance.now() > end) return undefined;
  const { heapUsed, external, rss } = JSON.parse(readFileSync(file, "utf8")) as Record<"heapUsed" | "external" | "rss", number>;
  return { pid, heapBytes: heapUsed + external, rssBytes: rss, descriptors: descriptorsOf(pid) };
}

/** 0 for a process that is gone. */
export function descriptorsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}
