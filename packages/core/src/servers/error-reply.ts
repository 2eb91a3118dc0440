/**
 * How a failure inside a handler looks on the wire: 500 with a JSON string, as the reference, plus headers with the facts of the hop that broke.
 * Such an answer carries no session cookie.
 */

import { GymError, isGymError, messageOf, printable } from "../errors/index.ts";
import { type EndpointReply, factsOf, failureHeaders, kindName } from "../http/index.ts";
import { bytesRepr } from "./compat-python-repr.ts";

/** Answered as `{"detail": detail}` with its status: the way for a handler to refuse a request. */
export class HttpError extends Error {
  readonly status: number;
  readonly detail: unknown;
  /** One of the failure kinds: travels with the answer, so that the row of a rollout that fails by it names it. */
  readonly failureKind: string | undefined;

  constructor(status: number, detail: unknown, failureKind?: string) {
    super(typeof detail === "string" ? detail : JSON.stringify(detail));
    this.status = status;
    this.detail = detail;
    this.failureKind = failureKind;
  }
}

export interface FailingServer {
  /** `<Class>___<instance>`. */
  identity: string;
  name: string;
  /** The failure kind of an error that is this server's own. */
  ownKind: string;
}

export function errorReply(error: unknown, server: FailingServer): EndpointReply {
  const own = { failure_kind: server.ownKind, boundary: server.name, message: printable(messageOf(error)).slice(0, 2_000) };
  if (isGymError(error, "NG_ERR_OVERLOADED")) own.failure_kind = `${kindName(server.name)}:overloaded`;
  const headers = failureHeaders(factsOf(error) ?? own);
  if (error instanceof GymError && typeof error.details.inner_body === "string") {
    return {
      status: 500,
      body: `Hit an exception in ${server.identity} calling an inner server: ${bytesRepr(error.details.inner_body)}`,
      headers,
    };
  }
  if (error instanceof GymError && error.code === "NG_ERR_OVERLOADED") {
    return { status: 429, body: { detail: error.message }, headers: { ...headers, "retry-after": "1" } };
  }
  if (error instanceof GymError && error.code === "NG_ERR_CANCELLED") return { status: 500, body: "Request was cancelled", headers };
  const name = error instanceof Error ? (error instanceof GymError ? error.code : error.name) : "Error";
  return { status: 500, body: `${name}(${JSON.stringify(printable(messageOf(error)))})`, headers };
}

/** A refusal: its session goes on. */
export function refusal({ status, detail, failureKind, message }: HttpError, server: string): EndpointReply {
  if (failureKind === undefined) return { status, body: { detail } };
  const facts = { failure_kind: failureKind, boundary: server, status, message: printable(message) };
  return { status, body: { detail }, headers: failureHeaders(facts) };
}

/** The failure kind of an error in a server of this name that no vocabulary word fits. */
export function internalKind(name: string): string {
  return `${kindName(name)}:internal_error`;
}
