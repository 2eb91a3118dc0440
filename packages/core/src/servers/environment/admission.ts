/** Who may start: at most so many episodes are at work, the others wait their turn, and not for ever. */
import { createSemaphore, type Semaphore } from "../../work/index.ts";
import type { SingleTurnConfig } from "./config.ts";

/** Episodes that may wait at one environment server. */
const MAX_WAITING_EPISODES = 65_536;

export type Admission = Pick<Semaphore, "run" | "stats">;

/** `run` throws GymError NG_ERR_OVERLOADED where the queue is full or the wait too long, NG_ERR_CANCELLED where the caller leaves first. */
export function createAdmission(
  name: string,
  { max_concurrent_episodes, queue_timeout_seconds }: Pick<SingleTurnConfig, "max_concurrent_episodes" | "queue_timeout_seconds">,
): Admission {
  return createSemaphore({
    name: `${name}: max_concurrent_episodes`,
    slots: max_concurrent_episodes ?? Number.MAX_SAFE_INTEGER,
    queueLimit: MAX_WAITING_EPISODES,
    queueTimeoutMs: (queue_timeout_seconds ?? 0) * 1000,
  });
}
