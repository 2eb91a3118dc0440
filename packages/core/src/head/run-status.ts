/** A command's question how a run is: what `/ng_status` of its head server tells, within a bounded time. */
import type { ServerClient } from "../http/index.ts";
import { createServerClient } from "../http/index.ts";
import type { HeadAddress } from "./client.ts";
import type { RunStatus } from "./status-routes.ts";

/** Longer than a head server waits for its processes, and what people wait for a table. */
const RUN_STATUS_TIMEOUT_MS = 2_000;

export interface RunStatusReader extends AsyncDisposable {
  /** Undefined where nobody tells it: no head server, one of another kind, or one that hangs. */
  read(signal?: AbortSignal): Promise<RunStatus | undefined>;
}

export function readRunStatus(head: HeadAddress): RunStatusReader {
  const client: ServerClient = createServerClient({
    addressOf: () => ({ url: `http://${head.host}:${head.port}` }),
    policy: { maxAttempts: 1 },
  });
  return {
    async read(signal) {
      try {
        const reply = await client.call("head server", {
          kind: "control",
          method: "GET",
          path: "/ng_status",
          timeoutMs: RUN_STATUS_TIMEOUT_MS,
          signal: AbortSignal.any([AbortSignal.timeout(RUN_STATUS_TIMEOUT_MS), ...(signal ? [signal] : [])]),
        });
        const status = reply.status === 200 ? (reply.json() as Partial<RunStatus> | null) : null;
        return Array.isArray(status?.hosts) && Array.isArray(status.waiting) ? (status as RunStatus) : undefined;
      } catch {
        return undefined;
      }
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}
