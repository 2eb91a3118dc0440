/** A command's question whether the run that it began with is still there. */

import { isGymError } from "../errors/index.ts";
import { createServerClient, type Reply } from "../http/index.ts";
import type { HeadAddress } from "./client.ts";
import type { ServerInstanceInfo } from "./instance-info.ts";
import { STOPPING } from "./server.ts";

/** A head server that is busy may take this long; after it nobody can tell. */
const PROBE_TIMEOUT_MS = 2_000;

export interface RunProbe extends AsyncDisposable {
  /** Why the run is over; undefined while it goes on, or where the head server does not say in time. */
  ask(signal?: AbortSignal): Promise<string | undefined>;
}

/** `instances`: what the head server told in the beginning. */
export function probeRun(head: HeadAddress, instances: readonly ServerInstanceInfo[]): RunProbe {
  const url = `http://${head.host}:${head.port}`;
  const client = createServerClient({ addressOf: () => ({ url }), policy: { maxAttempts: 1 } });
  const get = (path: string, signal?: AbortSignal): Promise<Reply> =>
    client.call("head server", { kind: "control", method: "GET", path, timeoutMs: PROBE_TIMEOUT_MS, signal });
  return {
    async ask(signal) {
      try {
        const [ready, told] = await Promise.all([get("/readyz", signal), get("/server_instances", signal)]);
        if (ready.status === 503 && (ready.json() as { status?: unknown } | null)?.status === STOPPING)
          return `the run at ${url} is being stopped`;
        if (told.status === 200 && isAnotherRun(told.json(), instances)) return `another run answers at ${url} by now`;
        return undefined;
      } catch (error) {
        const isGone = isGymError(error, "NG_ERR_UNREACHABLE") || isGymError(error, "NG_ERR_PEER_DROP");
        return isGone ? `no head server answers at ${url} any more` : undefined;
      }
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

/** All instances of a run have one start time, also those that were started anew. */
function isAnotherRun(told: unknown, before: readonly ServerInstanceInfo[]): boolean {
  const [was] = before;
  const now: Partial<ServerInstanceInfo> | undefined = Array.isArray(told) ? told[0] : undefined;
  return typeof was?.start_time === "number" && typeof now?.start_time === "number" && was.start_time !== now.start_time;
}
