/**
 * What an episode opened and must close, whatever happens: steps run in reverse order, each within its share of the one limit, none is left out
 * because another failed, and nobody's leaving stops them.
 */
import { GymError, messageOf } from "../../errors/index.ts";
import type { Log } from "../gym-server.ts";

/** Closes one thing. The signal fires at the limit. */
export type CleanupStep<T> = (signal: AbortSignal) => Promise<T>;

export interface Cleanup {
  /** Registers a step before the thing is opened. The returned function runs it at once, for its result; where that fails, `run` tries again. */
  defer<T>(what: string, step: CleanupStep<T>): () => Promise<T>;
  /** Runs what is left. Never throws: what fails is logged. */
  run(): Promise<void>;
}

export interface CleanupOptions {
  /** For all steps of a `run` together, and for each one that is run at once. */
  timeoutMs: number;
  log: Log;
}

const MAX_TIMER_MS = 2 ** 31 - 1;

export function createCleanup({ timeoutMs, log }: CleanupOptions): Cleanup {
  const steps: { what: string; step: CleanupStep<unknown> }[] = [];

  return {
    defer(what, step) {
      const entry = { what, step };
      steps.push(entry);
      return async () => {
        const result = await limited(what, step, timeoutMs);
        const at = steps.indexOf(entry);
        if (at >= 0) steps.splice(at, 1);
        return result;
      };
    },
    async run() {
      const end = performance.now() + timeoutMs;
      for (let entry = steps.pop(); entry !== undefined; entry = steps.pop()) {
        const share = (end - performance.now()) / (steps.length + 1);
        await limited(entry.what, entry.step, share).catch((error) => log(`${entry.what} was not closed: ${messageOf(error)}`));
      }
    },
  };
}

/** @throws GymError NG_ERR_TIMEOUT where the step takes longer, what the step throws */
async function limited<T>(what: string, step: CleanupStep<T>, limitMs: number): Promise<T> {
  const limit = new AbortController();
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => {
      const message = `${what} did not close within its ${Math.round(limitMs) / 1000} s of cleanup_timeout_seconds`;
      over.reject(new GymError("NG_ERR_TIMEOUT", message, { details: { failure_kind: "transport_timeout", boundary: what, message } }));
      limit.abort();
    },
    Math.min(Math.max(limitMs, 1), MAX_TIMER_MS),
  );
  try {
    return await Promise.race([step(limit.signal), over.promise]);
  } finally {
    clearTimeout(timer);
  }
}
