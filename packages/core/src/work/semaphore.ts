/**
 * A fair semaphore with a bounded queue: first come, first served; a full queue or a wait that takes too long is an error that says "busy",
 * never a longer and longer wait. Time in the queue is told apart from time at work.
 */
import { GymError } from "../errors/index.ts";
import { createFifo } from "./fifo.ts";

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

/** Longest delay of a timer; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export function createSemaphore(options: SemaphoreOptions): Semaphore {
  const { name, slots } = options;
  if (!Number.isInteger(slots) || slots < 1) throw new Error(`${name}: a semaphore needs at least one slot, not ${slots}`);
  const queueLimit = options.queueLimit ?? Number.POSITIVE_INFINITY;
  const queueTimeoutMs = Math.min(options.queueTimeoutMs ?? 0, MAX_TIMER_MS);
  const waiting = createFifo<() => void>();
  let running = 0;

  function busy(reason: string): GymError {
    return new GymError("NG_ERR_OVERLOADED", `${name}: ${reason} (${running} running, ${waiting.size} waiting)`, {
      hint: "Lower the concurrency of the caller, or raise the limit named here.",
      details: { running, waiting: waiting.size },
    });
  }

  function left(signal: AbortSignal | undefined): GymError {
    return new GymError("NG_ERR_CANCELLED", `${name}: the caller left while waiting for a slot`, { cause: signal?.reason });
  }

  /** Works in a slot that is this job's already, then hands it to whoever waits longest. */
  async function work<T>(job: (waitedMs: number) => Promise<T>, waitedMs: number): Promise<T> {
    try {
      return await job(waitedMs);
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  }

  return {
    stats: () => ({ running, waiting: waiting.size }),
    run<T>(job: (waitedMs: number) => Promise<T>, signal?: AbortSignal): Promise<T> {
      if (signal?.aborted) return Promise.reject(left(signal));
      if (running < slots) {
        running++;
        return work(job, 0);
      }
      if (waiting.size >= queueLimit) return Promise.reject(busy(`the queue of ${queueLimit} is full`));
      const queued = performance.now();
      return new Promise<T>((resolve, reject) => {
        let timer: NodeJS.Timeout | undefined;
        const stopWaiting = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", onAbort);
        };
        const onAbort = (): void => {
          leave();
          stopWaiting();
          reject(left(signal));
        };
        const leave = waiting.push(() => {
          stopWaiting();
          work(job, performance.now() - queued).then(resolve, reject);
        });
        signal?.addEventListener("abort", onAbort, { once: true });
        if (queueTimeoutMs > 0) {
          timer = setTimeout(() => {
            leave();
            stopWaiting();
            reject(busy(`no slot within queue_timeout (${queueTimeoutMs} ms)`));
          }, queueTimeoutMs);
        }
      });
    },
  };
}
