/** What a server's own code throws is told to whoever writes that code: with its stack, the route and the rollout, in the server's log. */
import type { EndpointRequest } from "../http/index.ts";
import { currentCall } from "../telemetry/index.ts";
import type { GymServer } from "./gym-server.ts";
import { splitRolloutPrefix, validRolloutId } from "./rollout-prefix.ts";

/** An exception of the server's own code: its stack is for whoever writes that code. Lines of it hold nothing that steers a terminal. */
export function logDefect(server: GymServer, request: EndpointRequest, error: unknown): void {
  // Within a call that knows its rollout every line tells it.
  const rollout =
    currentCall()?.rolloutId === undefined
      ? (splitRolloutPrefix(request.path).rolloutId ?? validRolloutId(request.headers["x-ng-rollout-id"]) ?? rolloutOf(request.body))
      : undefined;
  server.log.error(`${request.method} ${request.path}${rollout === undefined ? "" : ` of rollout ${rollout}`} threw`, { error });
}

/** The rollout that a row belongs to, where the body is one. */
function rolloutOf(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  const { _ng_task_index: task, _ng_rollout_index: rollout } = body as Record<string, unknown>;
  return task === undefined || rollout === undefined ? undefined : `${String(task)}-${String(rollout)}`;
}
