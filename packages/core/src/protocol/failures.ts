/** The one vocabulary of failures: what broke (kind), where (boundary), and the label of the sidecar row (class). */
import { type ErrorCode, GymError } from "../errors/index.ts";

/** The kinds that every NeMo Gym program knows. Beside them, `<server>:<kind>` names what only one server can tell. */
export const FAILURE_KINDS = [
  "transport_unreachable",
  "transport_peer_drop",
  "transport_timeout",
  "transport_local_resource",
  "agent_run_error",
  "agent_request_failed",
  "agent_timeout",
  "agent_command_not_allowed",
  "judge_failed",
  "judge_unparseable",
  "verifier_error",
  "provider_unavailable",
  "provider_quota_exhausted",
  "provider_oom_killed",
  "session_lost",
  "session_expired",
  "session_release_failed",
  "cancelled",
  "kill_shaped",
  "shutdown",
  "persistence_failed",
  "cohort_incomplete",
] as const;

export type CommonFailureKind = (typeof FAILURE_KINDS)[number];
export type FailureKind = CommonFailureKind | `${string}:${string}`;

const COMMON: ReadonlySet<string> = new Set(FAILURE_KINDS);
const SERVER_KIND = /^[a-z][a-z0-9_]*:[a-z][a-z0-9_]*$/;

/** True for a kind of the vocabulary. Kinds outside of it, written by foreign servers, are kept as they are. */
export function isFailureKind(value: unknown): value is FailureKind {
  return typeof value === "string" && (COMMON.has(value) || SERVER_KIND.test(value));
}

/** `<server>:<kind>`, with the server's name in the letters that a kind allows. */
export function serverFailureKind(server: string, kind: string): FailureKind {
  const name = server.toLowerCase().replace(/[^a-z0-9_]+/g, "_");
  return `${/^[a-z]/.test(name) ? name : `s_${name}`}:${kind}`;
}

/** Labels of `_ng_failure_class` that are in use; agents may send others. */
export const FAILURE_CLASSES = [
  "agent_run_error",
  "agent_request_failed",
  "environment_server_failed",
  "judge_failed",
  "judge_invalid",
  "permanent",
  "cancelled",
  "kill_shaped",
  "timeout_exceeded",
  "skipped",
  "reference_missing",
  "eval_missing",
  "transport_ineligible",
] as const;

export type FailureClass = (typeof FAILURE_CLASSES)[number];

/** Statuses that say that a server could not take the call, not that it answered it. */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** The label of a failed `/run`: `agent_run_error` where the server itself answered with `status`, `agent_request_failed` otherwise. */
export function failureClassOf(error: unknown): FailureClass {
  if (error instanceof GymError) {
    if (error.code === "NG_ERR_CANCELLED") return "cancelled";
    const status = error.details.inner_status ?? error.details.status;
    if (typeof status === "number" && !GATEWAY_STATUSES.has(status)) return "agent_run_error";
    if (error.code === "NG_ERR_BAD_RESPONSE") return "agent_run_error";
  }
  return "agent_request_failed";
}

const KIND_OF_CODE: Partial<Record<ErrorCode, CommonFailureKind>> = {
  NG_ERR_UNREACHABLE: "transport_unreachable",
  NG_ERR_PEER_DROP: "transport_peer_drop",
  NG_ERR_TIMEOUT: "transport_timeout",
  NG_ERR_LOCAL_RESOURCE: "transport_local_resource",
  NG_ERR_CANCELLED: "cancelled",
  NG_ERR_VERIFIER: "verifier_error",
  NG_ERR_NO_CHECKS: "verifier_error",
  NG_ERR_SERVER_DIED: "kill_shaped",
  NG_ERR_FILE: "persistence_failed",
};
const SERVER_KIND_OF_CODE: Partial<Record<ErrorCode, string>> = {
  NG_ERR_UPSTREAM_STATUS: "upstream_status",
  NG_ERR_BAD_RESPONSE: "bad_response",
  NG_ERR_OVERLOADED: "overloaded",
};

/**
 * The kind of an error: the one it carries in `details.failure_kind`, else the one of its code. A time-out of a call to `/run` is `agent_timeout`.
 * Undefined for an error that is no failure of a rollout.
 */
export function failureKindOf(error: unknown): FailureKind | undefined {
  if (!(error instanceof GymError)) return undefined;
  const { failure_kind: carried, boundary, server, path } = error.details;
  if (typeof carried === "string") return carried as FailureKind;
  if (error.code === "NG_ERR_TIMEOUT" && path === "/run") return "agent_timeout";
  const ofServer = SERVER_KIND_OF_CODE[error.code];
  const name = server ?? boundary;
  if (ofServer !== undefined && typeof name === "string") return serverFailureKind(name, ofServer);
  return KIND_OF_CODE[error.code];
}

/** Longest `failure_reason`, judge error or response body that a row keeps. */
export const FAILURE_TEXT_LIMIT_CHARS = 2_000;

/** The facts of an error that travel or are stored. `cause` is free text, `attempts` counts tries of the hop that broke. */
export interface FailureFacts {
  kind: FailureKind | undefined;
  class: FailureClass;
  boundary: string | undefined;
  attempts: number | undefined;
  reason: string;
}

export function failureFactsOf(error: unknown): FailureFacts {
  const details = error instanceof GymError ? error.details : {};
  return {
    kind: failureKindOf(error),
    class: failureClassOf(error),
    boundary: textOrNone(details.boundary ?? details.server),
    attempts: typeof details.attempts === "number" ? details.attempts : undefined,
    reason: (error instanceof Error ? error.message : String(error)).slice(0, FAILURE_TEXT_LIMIT_CHARS),
  };
}

function textOrNone(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
