/** What a server's own code throws is told to whoever writes that code: with its stack, the route and the rollout, in the server's log. */
import { printable } from "../errors/index.ts";
import type { EndpointRequest } from "../http/index.ts";
import type { GymServer } from "./gym-server.ts";
import { splitRolloutPrefix, validRolloutId } from "./rollout-prefix.ts";

/** An exception of the server's own code: its stack is for whoever writes that code. Lines of it hold nothing that steers a terminal. */
export function logDefect(server: GymServer, request: EndpointRequest, error: unknown): void {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const rollout =
    splitRolloutPrefix(request.path).rolloutId ?? validRolloutId(request.headers["x-ng-rollout-id"]) ?? rolloutOf(request.body);
  server.log(
    printable(`${request.method} ${request.path}${rollout === undefined ? "" : ` of rollout ${rollout}`} threw: ${stack}`).slice(
      0,
      LOGGED_STACK_CHARS,
    ),
  );
}

/** Longest text about one exception in a log. */
const LOGGED_STACK_CHARS = 4_000;

/** The rollout that a row belongs to, where the body is one. */
function rolloutOf(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  const { _ng_task_index: task, _ng_rollout_index: rollout } = body as Record<string, unknown>;
  return task === undefined || rollout === undefined ? undefined : `${String(task)}-${String(rollout)}`;
}
