/** Resident memory of processes, from `/proc`. Linux only. */
import { readFileSync } from "node:fs";

const EVERY_MS = 500;

/** Peaks of the processes since each began, summed. */
export function memoryOf(pids: readonly number[]): { peakMb: number } {
  return { peakMb: pids.reduce((sum, pid) => sum + (peakKb(pid) ?? 0), 0) / 1024 };
}

/** Watches processes that come and go; `stop` gives the sum of the peaks of all that were seen. */
export function peakMemory(pids: () => readonly number[]): { stop(): number } {
  const peaks = new Map<number, number>();
  const look = (): void => {
    for (const pid of pids()) peaks.set(pid, Math.max(peaks.get(pid) ?? 0, peakKb(pid) ?? 0));
  };
  const timer = setInterval(look, EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      look();
      return [...peaks.values()].reduce((sum, kb) => sum + kb, 0) / 1024;
    },
  };
}

function peakKb(pid: number): number | undefined {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  } catch {
    return undefined;
  }
}
