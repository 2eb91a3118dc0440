/** How waiting for a turn ends without one. */
import type { GymError } from "../errors/index.ts";
import { hopError } from "./failure.ts";

/** Who waits for what: `boundary` is the server or origin that is called. */
export interface QueuePlace {
  boundary: string;
  url: string;
}

export function leftQueue({ boundary, url }: QueuePlace, cause: unknown): GymError {
  const facts = { failure_kind: "cancelled", boundary, url };
  return hopError("NG_ERR_CANCELLED", `the call to ${boundary} was cancelled while it waited for its turn`, { facts, cause });
}

export function fullQueue({ boundary, url }: QueuePlace, maxQueuedCalls: number): GymError {
  const message = `more than maxQueuedCalls (${maxQueuedCalls}) wait for their turn at ${boundary}`;
  const hint = "Lower the concurrency of the collection, or raise http_max_queued_calls.";
  return hopError("NG_ERR_OVERLOADED", message, { facts: { failure_kind: "transport_local_resource", boundary, url }, hint });
}
