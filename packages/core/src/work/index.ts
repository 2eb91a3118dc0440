/** `work`: bounded concurrency and the verify lane, where CPU-heavy grading runs off the event loop. */
export { createFifo, type Fifo } from "./fifo.ts";
export { createSemaphore, type Semaphore, type SemaphoreOptions, type SemaphoreStats } from "./semaphore.ts";
export { createVerifyLane, type VerifyLane, type VerifyLaneOptions, workerFile } from "./verify-lane.ts";
