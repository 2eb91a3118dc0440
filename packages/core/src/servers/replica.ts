/** Which of several equal endpoints answers a session: always the same one, so that what it has cached of the conversation is used again. */
import { hash } from "node:crypto";

/** Index of the endpoint, by the first eight bytes of the id's SHA-256, as the reference. `count` >= 1. */
export function replicaOf(sessionId: string, count: number): number {
  if (count === 1) return 0;
  return Number(hash("sha256", sessionId, "buffer").readBigUInt64BE(0) % BigInt(count));
}
