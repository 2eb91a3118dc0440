/**
 * A host that is started anew when it ends by itself, as often as its policy allows: on the same port, with the same addresses and the same secret, so
 * that cookies of sessions stay valid; what it held in memory is gone. Calls that were under way fail or are sent again by the client's rules. Only a
 * host that was ready once is started anew: one that cannot start at all is an error of the start.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { GymError, messageOf } from "../../errors/index.ts";
import type { OnHostEvent } from "./events.ts";
import type { Host } from "./host.ts";

/** Pause before the first restart; doubles each time up to the longest. */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;

export interface RestartOptions {
  /** The server that the host is for. */
  server: string;
  /** Restarts in all. */
  times: number;
  first: Host;
  /** Makes the next one, which binds its ports itself. */
  again: () => Host;
  /** Longest time until a restarted host is ready. */
  readyWithinMs: number;
  onEvent: OnHostEvent;
}

export function withRestarts({ server, times, first, again, readyWithinMs, onEvent }: RestartOptions): Host {
  const death = Promise.withResolvers<GymError>();
  const stopped = new AbortController();
  let current = first;
  let restarts = 0;
  let restartedAt: number | undefined;
  let restarting: Promise<void> = Promise.resolve();

  function watch(host: Host): void {
    void host.died.then((error) => {
      restarting = restart(error);
    });
  }

  async function restart(reason: GymError): Promise<void> {
    for (let error = reason; !stopped.signal.aborted; ) {
      if (restarts >= times) return death.resolve(usedUp(error));
      restarts++;
      const delayMs = Math.min(FIRST_PAUSE_MS * 2 ** (restarts - 1), LONGEST_PAUSE_MS);
      onEvent({ type: "restarting", server, restart: restarts, of: times, delayMs });
      try {
        await current.stop(0);
        await sleep(delayMs, undefined, { signal: stopped.signal });
        current = again();
        await ready(current);
        restartedAt = Date.now();
        onEvent({ type: "restarted", server, pid: current.pid });
        return watch(current);
      } catch (cause) {
        error = cause instanceof GymError ? cause : new GymError("NG_ERR_SERVER_START", `${server}: ${messageOf(cause)}`, { cause });
      }
    }
  }

  async function ready(host: Host): Promise<void> {
    const limit = new AbortController();
    const overdue = new GymError("NG_ERR_SERVER_START", `${server} was started anew and is not ready within ${readyWithinMs / 1000} s`);
    const timer = readyWithinMs > 0 ? setTimeout(() => limit.abort(overdue), readyWithinMs) : undefined;
    try {
      await host.start(AbortSignal.any([stopped.signal, limit.signal]));
    } finally {
      clearTimeout(timer);
    }
  }

  function usedUp(error: GymError): GymError {
    const hint = `It was started anew ${restarts} ${restarts === 1 ? "time" : "times"}, which is all that its restart policy allows.`;
    return new GymError(error.code, error.message, { cause: error, details: { ...error.details, restarts }, hint });
  }

  return {
    names: first.names,
    hosting: first.hosting,
    get pid() {
      return current.pid;
    },
    get restarts() {
      return restarts;
    },
    get restartedAt() {
      return restartedAt;
    },
    status: () => current.status(),
    died: death.promise,
    async start(signal) {
      signal.addEventListener("abort", () => stopped.abort(signal.reason), { once: true });
      const hosted = await first.start(signal);
      watch(first);
      return hosted;
    },
    async stop(graceMs) {
      stopped.abort();
      await restarting;
      return current.stop(graceMs);
    },
  };
}
