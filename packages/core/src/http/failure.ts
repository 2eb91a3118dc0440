/**
 * What went wrong on a hop, as facts that travel. A server that fails because of another answers 500 with these facts in the `x-ng-failure`
 * header (percent-encoded JSON) beside `x-ng-failure-kind`; a caller reads them back, so the collector names the first hop that broke.
 */
import { type ErrorCode, GymError, messageOf, printable } from "../errors/index.ts";
import type { Reply } from "./message.ts";

/** Longest upstream body kept in an error's message and facts. */
export const ERROR_BODY_LIMIT_CHARS = 2_000;
/** Longest upstream body that an error hands on to the caller of the server that failed: quoting makes it longer at each hop. */
export const INNER_BODY_LIMIT_CHARS = 64 * 1024;
/** Longest `x-ng-failure` header: three hops of it fit into the head of an answer that any client reads. */
export const FAILURE_HEADER_LIMIT_CHARS = 6_000;

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

/** Only the named facts travel, their texts shortened until the header keeps its limit. */
export function failureHeaders(facts: FailureFacts): Record<string, string> {
  const { failure_kind, boundary, url, status, attempts, body, message } = facts;
  const kind = failure_kind.slice(0, 200).replace(/[^\x21-\x7e]/g, "_");
  let limit = ERROR_BODY_LIMIT_CHARS;
  let encoded: string;
  do {
    const texts = {
      boundary: boundary.slice(0, limit),
      url: url?.slice(0, limit),
      body: body?.slice(0, limit),
      message: message?.slice(0, limit),
    };
    encoded = encodeURIComponent(JSON.stringify({ failure_kind: kind, status, attempts, ...texts }));
    limit = Math.floor(limit / 2);
  } while (encoded.length > FAILURE_HEADER_LIMIT_CHARS && limit > 0);
  return { "x-ng-failure-kind": kind, [HEADER]: encoded };
}

export function failureFacts(headers: Record<string, string>): FailureFacts | undefined {
  const text = headers[HEADER];
  if (text === undefined) return undefined;
  try {
    return checkedFacts(JSON.parse(decodeURIComponent(text)));
  } catch {
    return undefined;
  }
}

/** Facts came over the wire: only fields of the right type are kept, and no control character in a text. */
function checkedFacts(value: unknown): FailureFacts | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const given = value as Record<string, unknown>;
  const text = (key: string): string | undefined => (typeof given[key] === "string" ? printable(given[key]) : undefined);
  const count = (key: string): number | undefined => (Number.isSafeInteger(given[key]) ? (given[key] as number) : undefined);
  const failure_kind = text("failure_kind");
  const boundary = text("boundary");
  if (failure_kind === undefined || boundary === undefined) return undefined;
  const rest = { url: text("url"), status: count("status"), attempts: count("attempts"), body: text("body"), message: text("message") };
  return { failure_kind, boundary, ...Object.fromEntries(Object.entries(rest).filter(([, fact]) => fact !== undefined)) };
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
  throw statusError(reply, { server, path });
}

/** The error of a refusal by status, with a sentence of ours in front. The wire still shows the endpoint's own body. */
export function statusError(reply: Reply, { server, path, explanation }: { server: string; path: string; explanation?: string }): GymError {
  const text = reply.text();
  const body = text.slice(0, ERROR_BODY_LIMIT_CHARS);
  const further = failureFacts(reply.headers);
  const facts = further ?? {
    failure_kind: `${kindName(server)}:upstream_status`,
    boundary: server,
    url: path,
    status: reply.status,
    attempts: Number(reply.headers["x-ng-attempts"]) || 1,
    body,
  };
  const status = `${server} answered ${reply.status} to ${path}: ${body}`;
  const reason = further && (further.message ?? innerAnswer(further));
  const message = explanation === undefined ? {} : { message: `${explanation} ${status}` };
  return new GymError("NG_ERR_UPSTREAM_STATUS", message.message ?? status, {
    details: { ...facts, ...message, reason, inner_status: reply.status, inner_body: text.slice(0, INNER_BODY_LIMIT_CHARS) },
  });
}

/** Longest piece of an upstream's answer in a sentence. */
const EXCERPT_CHARS = 300;

/** What the hop that broke was answered, in a line: who, where, which status, what it said. */
export function innerAnswer({ boundary, url, status, body }: FailureFacts): string | undefined {
  if (status === undefined) return undefined;
  const said = body?.replace(/\s+/g, " ").trim().slice(0, EXCERPT_CHARS) ?? "";
  return `${boundary}${url === undefined ? "" : ` at ${url}`} answered ${status}${said === "" ? "" : `: ${said}`}`;
}

/** Why a call failed, in the words of the hop that broke: an error that came through other servers quotes each of them otherwise. */
export function reasonOf(error: unknown): string {
  return error instanceof GymError && typeof error.details.reason === "string" ? error.details.reason : messageOf(error);
}

/** A server's name in the form that failure kinds allow: lower case, digits, `_`. */
export function kindName(server: string): string {
  const name = server.toLowerCase().replace(/[^a-z0-9_]+/g, "_");
  return /^[a-z]/.test(name) ? name : `s_${name}`;
}
