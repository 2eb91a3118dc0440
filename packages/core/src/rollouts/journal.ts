/** The two append-only files of a run. A call returns when the line is in its file; unresolved rows leave no line. */

import { stringifyJson } from "../json/index.ts";
import { openLineWriter } from "../jsonl/index.ts";
import type { Outcome } from "./outcome.ts";
import type { RunPaths } from "./paths.ts";

export interface Journal {
  /** @throws GymError NG_ERR_FILE */
  write(outcome: Outcome): Promise<void>;
  /** @throws GymError NG_ERR_FILE */
  close(): Promise<void>;
}

/** @throws GymError NG_ERR_FILE */
export async function openJournal(paths: Pick<RunPaths, "rollouts" | "failures">): Promise<Journal> {
  const main = await openLineWriter(paths.rollouts, "a");
  const sidecar = await openLineWriter(paths.failures, "a");
  return {
    async write(outcome) {
      if (outcome.kind === "completed") await main.append(stringifyJson(outcome.row));
      else if (outcome.kind === "failed") await sidecar.append(stringifyJson(outcome.row));
    },
    async close() {
      const results = await Promise.allSettled([main.close(), sidecar.close()]);
      for (const result of results) if (result.status === "rejected") throw result.reason;
    },
  };
}
