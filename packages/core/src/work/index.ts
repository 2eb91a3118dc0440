/** `work`: bounded concurrency, the descriptors of the process, and the verify lane, where CPU-heavy grading runs off the event loop. */
export { createFifo, type Fifo } from "./fifo.ts";
export { descriptorLimit, openDescriptors } from "./process-descriptors.ts";
export { createSemaphore, type Semaphore, type SemaphoreOptions, type SemaphoreStats } from "./semaphore.ts";
export { createVerifyLane, type VerifyLane, type VerifyLaneOptions, workerFile } from "./verify-lane.ts";
