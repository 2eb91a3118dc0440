/** From what was thrown to the failure that an episode answers, and the facts that travel beside it in headers. */
import { GymError, messageOf, printable } from "../../errors/index.ts";
import { type FailureFacts, factsOf, failureHeaders, kindName, reasonOf } from "../../http/index.ts";
import { type EpisodeFailure, type EpisodeStage, episodeFailure } from "../../protocol/index.ts";

/** How far an episode came: what a failure tells of it. */
export interface Progress {
  stage: EpisodeStage;
  /** The agent's answer, once there is one. */
  response?: unknown;
}

const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);
const RETRYABLE_CODES: ReadonlySet<string> = new Set([
  "NG_ERR_UNREACHABLE",
  "NG_ERR_PEER_DROP",
  "NG_ERR_TIMEOUT",
  "NG_ERR_LOCAL_RESOURCE",
  "NG_ERR_OVERLOADED",
  "NG_ERR_CANCELLED",
]);

/** May another attempt succeed? A server that could not be asked, or that says it is not the request's fault. */
export function isRetryable(error: unknown): boolean {
  if (!(error instanceof GymError)) return false;
  if (error.code !== "NG_ERR_UPSTREAM_STATUS") return RETRYABLE_CODES.has(error.code);
  return isRetryableStatus(Number(error.details.inner_status));
}

export function isRetryableStatus(status: number): boolean {
  return status >= 500 || RETRYABLE_STATUSES.has(status);
}

export function failureOf(error: unknown, { stage, response }: Progress): EpisodeFailure {
  return episodeFailure({
    failure_reason: printable(reasonOf(error)),
    terminal: !isRetryable(error),
    stage,
    partial_response: response,
  });
}

/** The facts of the hop that broke, in the headers that a failed call of a server of ours has: the body is 0.7.0's and has no room for them. */
export function factHeaders(error: unknown, server: string): Record<string, string> {
  const own: FailureFacts = {
    failure_kind: `${kindName(server)}:${error instanceof GymError && error.code === "NG_ERR_OVERLOADED" ? "overloaded" : "internal_error"}`,
    boundary: server,
    message: printable(messageOf(error)),
  };
  return failureHeaders(factsOf(error) ?? own);
}
