/**
 * The verify lane: grading that costs CPU or runs expressions from a data set leaves the event loop. A job waits in a fair, bounded queue, runs in
 * a worker thread, and is ended by force when it takes too long: the thread is replaced, the server goes on. Time in the queue is never
 * counted as time at work, and a job that was ended has no result: its caller gets an error, not a reward.
 */
import { availableParallelism } from "node:os";
import type { Piscina } from "piscina";
import { GymError, messageOf } from "../errors/index.ts";
import type { JobBegan, LaneJob } from "./lane-worker.ts";
import { createSemaphore } from "./semaphore.ts";

/** An idle thread ends after this. */
const IDLE_THREAD_MS = 60_000;
/** Longest start of a thread, the load of its module included. */
const START_THREAD_MS = 60_000;

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
  const began = new Map<number, () => void>();
  let pool: Promise<Piscina> | undefined;
  let jobs = 0;

  // Threads start with the first job; idle ones stay for a while, because a cold start costs more than a job.
  async function openPool(): Promise<Piscina> {
    const { Piscina } = await import("piscina");
    const filename = workerFile(import.meta, "./lane-worker");
    const opened = new Piscina({ filename, minThreads: 0, maxThreads: threads, idleTimeout: IDLE_THREAD_MS, execArgv: [] });
    opened.on("message", (message: Partial<JobBegan>) => began.get(message.laneJobBegan ?? -1)?.());
    return opened;
  }

  async function work(task: Task, signal: AbortSignal | undefined): Promise<Result> {
    pool ??= openPool();
    const id = jobs++;
    const end = new AbortController();
    let overdue: string | undefined;
    const limit = (ms: number, what: string): NodeJS.Timeout =>
      setTimeout(() => {
        overdue = `${what} within ${ms / 1000} s`;
        end.abort();
      }, ms);
    let timer = limit(START_THREAD_MS, "no thread to grade in was ready");
    // A job's time is its own: the start of its thread is not counted.
    began.set(id, () => {
      clearTimeout(timer);
      timer = limit(taskTimeoutMs, "grading did not end");
    });
    const onAbort = (): void => end.abort();
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      if (signal?.aborted) end.abort();
      return await (await pool).run({ id, module: options.worker, task } satisfies LaneJob, { signal: end.signal });
    } catch (cause) {
      if (overdue !== undefined) throw new GymError("NG_ERR_TIMEOUT", `${options.name}: ${overdue}`, { cause });
      if (signal?.aborted)
        throw new GymError("NG_ERR_CANCELLED", `${options.name}: the caller left while its answer was graded`, { cause });
      throw new GymError("NG_ERR_VERIFIER", `${options.name}: ${messageOf(cause)}`, { cause });
    } finally {
      began.delete(id);
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  return {
    run: (task, signal) => semaphore.run(() => work(task, signal), signal),
    stats: () => semaphore.stats(),
    async [Symbol.asyncDispose]() {
      await (await pool)?.destroy();
      pool = undefined;
    },
  };
}

/** The path of a worker module beside `meta`'s module: `.ts` where that runs from source, `.js` where it was built. */
export function workerFile(meta: ImportMeta, name: string): string {
  const extension = meta.filename.slice(meta.filename.lastIndexOf("."));
  return new URL(`${name}${extension}`, meta.url).href;
}
