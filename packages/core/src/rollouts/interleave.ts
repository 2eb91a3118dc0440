/** Puts the rows of a file in rounds: every first rollout, then every second, and so on. Reads the file row by row; holds a position a row. */

import { open } from "node:fs/promises";
import { fileError } from "../jsonl/index.ts";

export interface RowPositions {
  add(rollout: number, bytes: number): void;
  /** Positions grouped by rollout, in file order within each. */
  rounds(): { offset: number; bytes: number }[][];
}

export function createRowPositions(): RowPositions {
  const rounds: { offset: number; bytes: number }[][] = [];
  let offset = 0;
  return {
    add(rollout, bytes) {
      while (rounds.length <= rollout) rounds.push([]);
      rounds[rollout]?.push({ offset, bytes });
      offset += bytes + 1;
    },
    rounds: () => rounds,
  };
}

/** Hands the rows of `source` on in rounds. @throws GymError NG_ERR_FILE */
export async function eachInterleaved(
  source: string,
  positions: RowPositions,
  take: (text: string) => Promise<void> | undefined,
): Promise<void> {
  const handle = await open(source, "r").catch((error) => {
    throw fileError(source, "read", error);
  });
  try {
    for (const round of positions.rounds()) {
      for (const { offset, bytes } of round) {
        const block = Buffer.allocUnsafe(bytes);
        await handle.read(block, 0, bytes, offset);
        await take(block.toString("utf8"));
      }
    }
  } finally {
    await handle.close();
  }
}
