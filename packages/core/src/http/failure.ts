/**
 * What went wrong on a hop, as facts that travel. A server that fails because of another answers 500 with these facts in the `x-ng-failure`
 * header (percent-encoded JSON) beside `x-ng-failure-kind`; a caller reads them back, so the collector names the first hop that broke.
 */
import { type ErrorCode, GymError } from "../protocol/index.ts";
import type { Reply } from "./message.ts";

/** Longest upstream body kept in an error. */
export const ERROR_BODY_LIMIT_CHARS = 2_000;

export interface FailureFacts {
  /** One of the failure kinds, or `<server>:<kind>`. */
  failure_kind: string;
  /** The hop that broke: the name of the server that was called. */
  boundary: string;
  url?: string;
  status?: number;
  attempts?: number;
  /** Start of the upstream's answer. */
  body?: string;
  message?: string;
}

const HEADER = "x-ng-failure";

export function failureHeaders(facts: FailureFacts): Record<string, string> {
  return { "x-ng-failure-kind": facts.failure_kind.replace(/[^\x21-\x7e]/g, "_"), [HEADER]: encodeURIComponent(JSON.stringify(facts)) };
}

export function failureFacts(headers: Record<string, string>): FailureFacts | undefined {
  const text = headers[HEADER];
  if (text === undefined) return undefined;
  try {
    const facts = JSON.parse(decodeURIComponent(text)) as Partial<FailureFacts>;
    return typeof facts.failure_kind === "string" && typeof facts.boundary === "string" ? (facts as FailureFacts) : undefined;
  } catch {
    return undefined;
  }
}

/** The facts that an error holds about a hop, if it was made by this folder. */
export function factsOf(error: unknown): FailureFacts | undefined {
  if (!(error instanceof GymError)) return undefined;
  const facts = error.details as Partial<FailureFacts>;
  return typeof facts.failure_kind === "string" && typeof facts.boundary === "string" ? (facts as FailureFacts) : undefined;
}

export function hopError(code: ErrorCode, message: string, options: { facts: FailureFacts; hint?: string; cause?: unknown }): GymError {
  return new GymError(code, message, { details: { ...options.facts, message }, hint: options.hint, cause: options.cause });
}

/**
 * Returns the reply if its status is below 400.
 * @throws GymError NG_ERR_UPSTREAM_STATUS holding server, URL, status and the start of the body; the facts of a hop further on win over ours.
 */
export function raiseForStatus(reply: Reply, server: string, path: string): Reply {
  if (reply.status < 400) return reply;
  const body = reply.text().slice(0, ERROR_BODY_LIMIT_CHARS);
  const facts = failureFacts(reply.headers) ?? {
    failure_kind: `${kindName(server)}:upstream_status`,
    boundary: server,
    url: path,
    status: reply.status,
    body,
  };
  throw new GymError("NG_ERR_UPSTREAM_STATUS", `${server} answered ${reply.status} to ${path}: ${body}`, {
    details: { ...facts, inner_status: reply.status, inner_body: reply.text() },
  });
}

/** A server's name in the form that failure kinds allow: lower case, digits, `_`. */
export function kindName(server: string): string {
  const name = server.toLowerCase().replace(/[^a-z0-9_]+/g, "_");
  return /^[a-z]/.test(name) ? name : `s_${name}`;
}
