/** What runs in each thread of a verify lane: loads the grading module, says that the job begins (its clock starts here), and runs it. */
import { parentPort } from "node:worker_threads";

export interface LaneJob {
  id: number;
  /** URL of the module whose default export does the work. */
  module: string;
  task: unknown;
}

/** Thread -> lane: the job of this id has begun. */
export interface JobBegan {
  laneJobBegan: number;
}

export default async function runJob({ id, module, task }: LaneJob): Promise<unknown> {
  const { default: work } = (await import(module)) as { default: (task: unknown) => unknown };
  parentPort?.postMessage({ laneJobBegan: id } satisfies JobBegan);
  return work(task);
}
