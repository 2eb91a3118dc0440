/** While a collection goes on, asks the head server now and then what the servers' calls are up against. */
import { setTimeout as sleep } from "node:timers/promises";
import { type HeadAddress, readRunStatus } from "@ng-gym/core/head";
import { type LoadEvent, mergedTargets } from "../reporters/index.ts";

/** Time between two questions. */
const LOOK_EVERY_MS = 2_000;

/** Ends with its disposal. A head server that does not tell is asked again, in vain or not: nothing depends on it. */
export function watchLoad(head: HeadAddress, emit: (event: LoadEvent) => void): AsyncDisposable {
  const done = new AbortController();

  async function look(): Promise<void> {
    await using run = readRunStatus(head);
    while (!done.signal.aborted) {
      const status = await run.read(done.signal);
      if (status !== undefined && !done.signal.aborted) emit({ type: "load", targets: mergedTargets(status.hosts) });
      await sleep(LOOK_EVERY_MS, undefined, { signal: done.signal, ref: false });
    }
  }

  const looking = look().catch(() => {});
  return {
    async [Symbol.asyncDispose]() {
      done.abort();
      await looking;
    },
  };
}
