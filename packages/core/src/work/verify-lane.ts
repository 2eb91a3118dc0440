/**
 * The verify lane: grading that costs CPU or runs expressions from a data set leaves the event loop. A job waits in a fair, bounded queue, runs in
 * a worker thread, and is ended by force when it takes too long: the thread is replaced, the server goes on. Time in the queue is never
 * counted as time at work, and a job that was ended has no result: its caller gets an error, not a reward.
 */
import { availableParallelism } from "node:os";
import { Piscina } from "piscina";
import { GymError, messageOf } from "../protocol/index.ts";
import { createSemaphore } from "./semaphore.ts";

export interface VerifyLaneOptions {
  /** Named in errors. */
  name: string;
  /** The module whose default export is `(task) => result`; both must be structured-cloneable. See `workerFile`. */
  worker: string;
  /** Threads; default one less than the cores, at least one. */
  threads?: number;
  /** Jobs that may wait; default 10,000. */
  queueLimit?: number;
  /** Longest wait, in milliseconds; default 300,000. */
  queueTimeoutMs?: number;
  /** Longest run of one job, in milliseconds; default 10,000. */
  taskTimeoutMs?: number;
}

export interface VerifyLane<Task, Result> extends AsyncDisposable {
  /**
   * @throws GymError NG_ERR_OVERLOADED (queue), NG_ERR_TIMEOUT (the job was ended), NG_ERR_VERIFIER (the job threw), NG_ERR_CANCELLED.
   */
  run(task: Task, signal?: AbortSignal): Promise<Result>;
  stats(): { running: number; waiting: number };
}

export function createVerifyLane<Task, Result>(options: VerifyLaneOptions): VerifyLane<Task, Result> {
  const threads = options.threads ?? Math.max(1, availableParallelism() - 1);
  const taskTimeoutMs = options.taskTimeoutMs ?? 10_000;
  const semaphore = createSemaphore({
    name: options.name,
    slots: threads,
    queueLimit: options.queueLimit ?? 10_000,
    queueTimeoutMs: options.queueTimeoutMs ?? 300_000,
  });
  // Threads start with the first job; idle ones stay, because a cold start costs more than a job.
  let pool: Piscina | undefined;
  const openPool = (): Piscina =>
    new Piscina({ filename: options.worker, minThreads: 0, maxThreads: threads, idleTimeout: 60_000, execArgv: [] });

  async function work(task: Task, signal: AbortSignal | undefined): Promise<Result> {
    pool ??= openPool();
    const end = new AbortController();
    let overdue = false;
    const timer = setTimeout(() => {
      overdue = true;
      end.abort();
    }, taskTimeoutMs);
    const onAbort = (): void => end.abort();
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      if (signal?.aborted) end.abort();
      return await pool.run(task, { signal: end.signal });
    } catch (cause) {
      if (overdue) throw new GymError("NG_ERR_TIMEOUT", `${options.name}: grading did not end within ${taskTimeoutMs / 1000} s`, { cause });
      if (signal?.aborted)
        throw new GymError("NG_ERR_CANCELLED", `${options.name}: the caller left while its answer was graded`, { cause });
      throw new GymError("NG_ERR_VERIFIER", `${options.name}: ${messageOf(cause)}`, { cause });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  return {
    run: (task, signal) => semaphore.run(() => work(task, signal), signal),
    stats: () => semaphore.stats(),
    async [Symbol.asyncDispose]() {
      await pool?.destroy();
      pool = undefined;
    },
  };
}

/** The path of a worker module beside `meta`'s module: `.ts` where that runs from source, `.js` where it was built. */
export function workerFile(meta: ImportMeta, name: string): string {
  const extension = meta.filename.slice(meta.filename.lastIndexOf("."));
  return new URL(`${name}${extension}`, meta.url).href;
}
