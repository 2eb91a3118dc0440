/** A failed rollout as a line of the sidecar: the reference's field names, and beside them which hop broke, why, and after how many tries. */

import { isGymError, messageOf } from "../errors/index.ts";
import { type FailureFacts, factsOf, failureFacts, innerAnswer, kindName, type Reply } from "../http/index.ts";
import { FAILURE_BODY_CHARS } from "./limits.ts";
import type { Row } from "./row.ts";

export interface FailureCause {
  failureClass: string;
  kind: string;
  boundary: string;
  attempts: number;
  /** Free text: our error code. */
  type: string;
  message: string;
  status: number | null;
  body: string | null;
  /** Status that the hop which broke was given, where that is another one than the answer to `/run`. */
  innerStatus?: number;
}

/** Statuses that say the server never got to run the row. */
const NOT_RUN = new Set([429, 502, 503, 504]);

export function failureRow(cause: FailureCause): Row {
  return {
    _ng_failure_class: cause.failureClass,
    failure_kind: cause.kind,
    _ng_failure_boundary: cause.boundary,
    _ng_failure_attempts: cause.attempts,
    _ng_failure_type: cause.type,
    _ng_failure_message: cause.message,
    _ng_failure_http_status: cause.status,
    _ng_failure_response_body: cause.body,
  };
}

/** The cause in an answer with an error status. */
export function statusCause(reply: Reply, server: string): FailureCause {
  const facts = failureFacts(reply.headers);
  const body = reply.text();
  const kind = facts?.failure_kind ?? `${kindName(server)}:upstream_status`;
  return {
    failureClass: classOf(kind) ?? (NOT_RUN.has(reply.status) ? "agent_request_failed" : "agent_run_error"),
    kind,
    boundary: facts?.boundary ?? server,
    attempts: facts?.attempts ?? (Number(reply.headers["x-ng-attempts"]) || 1),
    type: "NG_ERR_UPSTREAM_STATUS",
    message: facts?.message ?? (facts === undefined ? undefined : innerAnswer(facts)) ?? `${server} answered ${reply.status} to /run`,
    status: reply.status,
    body: body === "" ? null : clipped(body),
    innerStatus: facts?.status,
  };
}

/** The cause in an error that the client threw: no answer, or one that is not JSON. */
export function errorCause(error: unknown, server: string): FailureCause {
  const facts: Partial<FailureFacts> = factsOf(error) ?? {};
  const status = typeof facts.status === "number" ? facts.status : null;
  const known = facts.failure_kind ?? "agent_request_failed";
  // A time-out of the call to /run itself is the agent's; further hops keep their own name.
  const kind = known === "transport_timeout" && (facts.boundary ?? server) === server ? "agent_timeout" : known;
  return {
    failureClass: classOf(kind) ?? (status === null ? "agent_request_failed" : "agent_run_error"),
    kind,
    boundary: facts.boundary ?? server,
    attempts: facts.attempts ?? 1,
    type: isGymError(error) ? error.code : error instanceof Error ? error.name : "Error",
    message: messageOf(error),
    status,
    body: null,
  };
}

/** The cause in an answer that breaks the contract of `/run`. */
export function contractCause(problem: string, server: string, body: string): FailureCause {
  return {
    failureClass: "agent_run_error",
    kind: `${kindName(server)}:bad_response`,
    boundary: server,
    attempts: 1,
    type: "NG_ERR_BAD_RESPONSE",
    message: `${server} answered /run with ${problem}`,
    status: 200,
    body: body === "" ? null : clipped(body),
  };
}

function classOf(kind: string): string | undefined {
  if (kind === "judge_failed" || kind === "judge_unparseable") return "judge_failed";
  return kind === "cancelled" ? "cancelled" : undefined;
}

/** The first characters; `…` follows only where some were cut. */
export function clipped(text: string): string {
  if (text.length <= FAILURE_BODY_CHARS) return text;
  const chars = [...text.slice(0, 2 * FAILURE_BODY_CHARS + 2)];
  return chars.length <= FAILURE_BODY_CHARS ? text : `${chars.slice(0, FAILURE_BODY_CHARS).join("")}…`;
}

const HINTS: Record<string, string> = {
  transport_unreachable:
    "Nothing answers at that address: are host and port right, and does something listen there, or is it being restarted? ng-status shows which servers answer.",
  transport_peer_drop: "The server closed the connection: look at its log for a crash.",
  transport_timeout: "Raise the limit that the message names, or lower num_samples_in_parallel.",
  transport_local_resource: "Raise the descriptor limit (ulimit -n) or lower num_samples_in_parallel.",
  agent_timeout: "Raise the limit that the message names, or lower num_samples_in_parallel.",
  judge_failed: "Check the judge's endpoint and key; resume runs these rows again.",
  provider_oom_killed: "The program under test ran out of memory: raise the sandbox's memory limit.",
};

/** What to do about an endpoint that does not let us in. */
const REFUSED_HINT =
  "The endpoint refuses the key: check policy_api_key (env.yaml, --model-api-key or OPENAI_API_KEY), and that it fits the URL and the model.";

/** What to do about a kind of failure, where there is something general to say. `innerStatus`: see FailureCause. */
export function failureHint(kind: string | undefined, innerStatus?: number): string | undefined {
  if (kind === undefined) return undefined;
  if (innerStatus === 401 || innerStatus === 403) return REFUSED_HINT;
  return (
    HINTS[kind] ??
    (kind.endsWith(":upstream_status") ? "The server's own log says more; the sidecar row holds the start of its answer." : undefined)
  );
}
