/**
 * A fair semaphore with a bounded queue: first come, first served; a full queue or a wait that takes too long is an error that says "busy",
 * never a longer and longer wait. Time in the queue is told apart from time at work.
 */
import pLimit from "p-limit";
import { GymError } from "../protocol/index.ts";

export interface SemaphoreOptions {
  /** Named in errors. */
  name: string;
  /** How many run at once. */
  slots: number;
  /** How many may wait; default unlimited by length (the caller bounds it). */
  queueLimit?: number;
  /** How long one may wait, in milliseconds; 0 = for ever. */
  queueTimeoutMs?: number;
}

export interface SemaphoreStats {
  running: number;
  waiting: number;
}

export interface Semaphore {
  /**
   * Runs `job` when a slot is free.
   * @throws GymError NG_ERR_OVERLOADED when the queue is full or the wait too long, NG_ERR_CANCELLED when `signal` fires first.
   */
  run<T>(job: (waitedMs: number) => Promise<T>, signal?: AbortSignal): Promise<T>;
  stats(): SemaphoreStats;
}

export function createSemaphore(options: SemaphoreOptions): Semaphore {
  const limit = pLimit(options.slots);
  const queueLimit = options.queueLimit ?? Number.POSITIVE_INFINITY;
  const queueTimeoutMs = options.queueTimeoutMs ?? 0;

  function busy(reason: string): GymError {
    return new GymError("NG_ERR_OVERLOADED", `${options.name}: ${reason} (${limit.activeCount} running, ${limit.pendingCount} waiting)`, {
      hint: "Lower the concurrency of the caller, or raise the limit named here.",
      details: { running: limit.activeCount, waiting: limit.pendingCount },
    });
  }

  return {
    stats: () => ({ running: limit.activeCount, waiting: limit.pendingCount }),
    run<T>(job: (waitedMs: number) => Promise<T>, signal?: AbortSignal): Promise<T> {
      if (limit.activeCount >= options.slots && limit.pendingCount >= queueLimit)
        return Promise.reject(busy(`the queue of ${queueLimit} is full`));
      const queued = performance.now();
      return new Promise<T>((resolve, reject) => {
        let state: "waiting" | "running" | "left" = "waiting";
        let timer: NodeJS.Timeout | undefined;
        const leave = (error: unknown): void => {
          if (state !== "waiting") return;
          state = "left";
          clearTimeout(timer);
          signal?.removeEventListener("abort", onAbort);
          reject(error);
        };
        const onAbort = (): void =>
          leave(new GymError("NG_ERR_CANCELLED", `${options.name}: the caller left while waiting for a slot`, { cause: signal?.reason }));
        if (signal?.aborted) return onAbort();
        signal?.addEventListener("abort", onAbort, { once: true });
        if (queueTimeoutMs > 0)
          timer = setTimeout(() => leave(busy(`no slot within queue_timeout (${queueTimeoutMs} ms)`)), queueTimeoutMs);
        void limit(async () => {
          if (state === "left") return;
          state = "running";
          clearTimeout(timer);
          signal?.removeEventListener("abort", onAbort);
          try {
            resolve(await job(performance.now() - queued));
          } catch (error) {
            reject(error);
          }
        });
      });
    },
  };
}
