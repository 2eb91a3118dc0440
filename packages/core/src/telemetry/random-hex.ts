/** Random hexadecimal text, cut from a pool: an id a call must cost next to nothing. */
import { randomBytes } from "node:crypto";

const POOL_BYTES = 2_048;
let pool = "";
let at = 0;

/** Two characters a byte, of at most 64 bytes. */
export function randomHex(bytes: number): string {
  const length = 2 * bytes;
  if (at + length > pool.length) {
    pool = randomBytes(POOL_BYTES).toString("hex");
    at = 0;
  }
  at += length;
  return pool.slice(at - length, at);
}
