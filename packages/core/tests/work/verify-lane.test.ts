import { expect, test } from "vitest";
import { createVerifyLane, type VerifyLane, workerFile } from "../../src/work/index.ts";

type Task = { kind: "double" | "loop" | "throw"; value: number };
const worker = workerFile(import.meta, "./fixtures/worker");
const lane = (options: { taskTimeoutMs?: number; queueLimit?: number } = {}): VerifyLane<Task, number> =>
  createVerifyLane<Task, number>({ name: "test lane", worker, threads: 1, ...options });

test("jobs run off the event loop and give their result", async () => {
  await using work = lane();
  expect(await Promise.all([1, 2, 3].map((value) => work.run({ kind: "double", value })))).toEqual([2, 4, 6]);
});

test("a job that never ends is ended, and the next one runs", async () => {
  await using work = lane({ taskTimeoutMs: 300 });
  await expect(work.run({ kind: "loop", value: 0 })).rejects.toMatchObject({ code: "NG_ERR_TIMEOUT" });
  expect(await work.run({ kind: "double", value: 4 })).toBe(8);
});

test("time in the queue is not time at work", async () => {
  await using work = lane({ taskTimeoutMs: 1_000 });
  const first = work.run({ kind: "loop", value: 0 });
  const waiting = work.run({ kind: "double", value: 5 });
  await expect(first).rejects.toMatchObject({ code: "NG_ERR_TIMEOUT" });
  expect(await waiting).toBe(10);
});

test("a job that throws is a verifier's failure with its message", async () => {
  await using work = lane();
  await expect(work.run({ kind: "throw", value: 0 })).rejects.toMatchObject({
    code: "NG_ERR_VERIFIER",
    message: "test lane: no such answer",
  });
});

test("a full queue is refused at once and names itself", async () => {
  await using work = lane({ taskTimeoutMs: 500, queueLimit: 1 });
  const running = work.run({ kind: "loop", value: 0 });
  const waiting = work.run({ kind: "double", value: 1 });
  await expect(work.run({ kind: "double", value: 2 })).rejects.toMatchObject({
    code: "NG_ERR_OVERLOADED",
    message: expect.stringContaining("test lane"),
  });
  await expect(running).rejects.toMatchObject({ code: "NG_ERR_TIMEOUT" });
  expect(await waiting).toBe(2);
});

test("a caller that leaves frees its place, waiting or running", async () => {
  await using work = lane({ taskTimeoutMs: 60_000 });
  const leave = new AbortController();
  const running = work.run({ kind: "loop", value: 0 }, leave.signal);
  const waiting = work.run({ kind: "double", value: 1 }, leave.signal);
  const next = work.run({ kind: "double", value: 3 });
  leave.abort();
  await expect(running).rejects.toMatchObject({ code: "NG_ERR_CANCELLED" });
  await expect(waiting).rejects.toMatchObject({ code: "NG_ERR_CANCELLED" });
  expect(await next).toBe(6);
});
