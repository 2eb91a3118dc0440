import { describe, expect, test, vi } from "vitest";
import { createSemaphore, type Semaphore } from "../../src/work/index.ts";

interface Held {
  /** Ends the job. */
  end: () => void;
  done: Promise<string>;
}

/** A job that runs until it is told to end; `order` gets its name when it starts. */
function hold(semaphore: Semaphore, name: string, order: string[], signal?: AbortSignal): Held {
  let end = (): void => {};
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  const done = semaphore.run(async () => {
    order.push(name);
    await over;
    return name;
  }, signal);
  done.catch(() => {});
  return { end, done };
}

describe("a semaphore", () => {
  test("runs as many as it has slots, and the rest first come, first served", async () => {
    const semaphore = createSemaphore({ name: "s", slots: 2 });
    const order: string[] = [];
    const jobs = ["a", "b", "c", "d", "e"].map((name) => hold(semaphore, name, order));
    expect(order).toEqual(["a", "b"]);
    expect(semaphore.stats()).toEqual({ running: 2, waiting: 3 });
    jobs[1]?.end();
    await jobs[1]?.done;
    expect(order).toEqual(["a", "b", "c"]);
    for (const job of jobs) job.end();
    expect(await Promise.all(jobs.map((job) => job.done))).toEqual(["a", "b", "c", "d", "e"]);
    expect(order).toEqual(["a", "b", "c", "d", "e"]);
    expect(semaphore.stats()).toEqual({ running: 0, waiting: 0 });
  });

  test("a newcomer never overtakes who waits", async () => {
    const semaphore = createSemaphore({ name: "s", slots: 1 });
    const order: string[] = [];
    const first = hold(semaphore, "first", order);
    const second = hold(semaphore, "second", order);
    first.end();
    await first.done;
    const third = hold(semaphore, "third", order);
    expect(order).toEqual(["first", "second"]);
    second.end();
    third.end();
    await third.done;
  });

  test("a job that fails frees its slot, whether it rejects or throws", async () => {
    const semaphore = createSemaphore({ name: "s", slots: 1 });
    const rejects = semaphore.run(async () => Promise.reject(new Error("rejected")));
    const throws = semaphore.run(() => {
      throw new Error("thrown");
    });
    await expect(rejects).rejects.toThrow("rejected");
    await expect(throws).rejects.toThrow("thrown");
    expect(await semaphore.run(async () => "next")).toBe("next");
    expect(semaphore.stats()).toEqual({ running: 0, waiting: 0 });
  });

  test("a full queue is refused at once, with its name and numbers", async () => {
    const semaphore = createSemaphore({ name: "judge slots", slots: 1, queueLimit: 2 });
    const order: string[] = [];
    const jobs = ["a", "b", "c"].map((name) => hold(semaphore, name, order));
    await expect(semaphore.run(async () => "d")).rejects.toMatchObject({
      code: "NG_ERR_OVERLOADED",
      message: "judge slots: the queue of 2 is full (1 running, 2 waiting)",
      details: { running: 1, waiting: 2 },
    });
    for (const job of jobs) job.end();
    await Promise.all(jobs.map((job) => job.done));
  });

  test("a place that was left is free for another", async () => {
    const semaphore = createSemaphore({ name: "s", slots: 1, queueLimit: 1 });
    const order: string[] = [];
    const running = hold(semaphore, "running", order);
    const leave = new AbortController();
    const left = hold(semaphore, "left", order, leave.signal);
    leave.abort(new Error("gone"));
    await expect(left.done).rejects.toMatchObject({ code: "NG_ERR_CANCELLED", cause: expect.objectContaining({ message: "gone" }) });
    expect(semaphore.stats().waiting).toBe(0);
    const next = hold(semaphore, "next", order);
    running.end();
    next.end();
    expect(await next.done).toBe("next");
    expect(order).toEqual(["running", "next"]);
  });

  test("who left the middle of a long queue does not disturb the order", async () => {
    const semaphore = createSemaphore({ name: "s", slots: 1 });
    const order: string[] = [];
    const leavers = Array.from({ length: 1_000 }, () => new AbortController());
    const running = hold(semaphore, "running", order);
    const jobs = leavers.map((leaver, n) => hold(semaphore, String(n), order, leaver.signal));
    for (const [n, leaver] of leavers.entries()) if (n % 3 !== 0) leaver.abort();
    expect(semaphore.stats().waiting).toBe(334);
    running.end();
    for (const job of jobs) job.end();
    await Promise.allSettled(jobs.map((job) => job.done));
    expect(order).toEqual(["running", ...leavers.map((_, n) => String(n)).filter((n) => Number(n) % 3 === 0)]);
  });

  test("a caller that has left already never runs", async () => {
    const semaphore = createSemaphore({ name: "s", slots: 1 });
    const job = vi.fn(async () => "ran");
    await expect(semaphore.run(job, AbortSignal.abort())).rejects.toMatchObject({ code: "NG_ERR_CANCELLED" });
    expect(job).not.toHaveBeenCalled();
  });

  test("a signal that fires while the job runs is the job's business", async () => {
    const semaphore = createSemaphore({ name: "s", slots: 1 });
    const leave = new AbortController();
    const job = hold(semaphore, "a", [], leave.signal);
    leave.abort();
    job.end();
    expect(await job.done).toBe("a");
  });

  test("a wait that is too long names its limit; work is never counted", async () => {
    vi.useFakeTimers();
    try {
      const semaphore = createSemaphore({ name: "s", slots: 1, queueTimeoutMs: 300 });
      const order: string[] = [];
      const running = hold(semaphore, "running", order);
      const late = hold(semaphore, "late", order);
      vi.advanceTimersByTime(299);
      expect(semaphore.stats().waiting).toBe(1);
      vi.advanceTimersByTime(1);
      await expect(late.done).rejects.toMatchObject({
        code: "NG_ERR_OVERLOADED",
        message: expect.stringContaining("queue_timeout (300 ms)"),
      });
      expect(semaphore.stats()).toEqual({ running: 1, waiting: 0 });
      running.end();
      expect(await running.done).toBe("running");
      expect(order).toEqual(["running"]);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test.each([0, -1, 1.5, Number.NaN])("%d slots are a mistake", (slots) => {
    expect(() => createSemaphore({ name: "s", slots })).toThrow("at least one slot");
  });
});
