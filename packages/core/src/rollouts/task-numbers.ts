/** Which lines are one task: lines with the same text, their line feed included. Keeps a digest a line, not the line. */

import { createHash } from "node:crypto";
import type { Line } from "../jsonl/index.ts";

/** Bytes of SHA-256 kept: two different lines of a file of 10^9 lines collide with probability below 10^-10. */
const DIGEST_BYTES = 12;

export interface TaskNumbers {
  /** The number of this text: 0 for the first distinct one, then 1, and so on. */
  of(line: Line): number;
}

export function createTaskNumbers(): TaskNumbers {
  const numbers = new Map<string, number>();
  return {
    of(line) {
      const hash = createHash("sha256").update(line.text);
      if (line.terminated) hash.update("\n");
      const digest = hash.digest().subarray(0, DIGEST_BYTES).toString("latin1");
      let number = numbers.get(digest);
      if (number === undefined) {
        number = numbers.size;
        numbers.set(digest, number);
      }
      return number;
    },
  };
}
