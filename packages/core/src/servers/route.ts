/** What a server class says about its routes, and what a handler gets. */
import type { CookieJar, EndpointReply } from "../http/index.ts";
import type { Validation } from "../protocol/index.ts";
import type { Session } from "./session.ts";

export interface RequestContext {
  readonly session: Session;
  /** Cookies that the caller sent, without this server's own. */
  readonly jar: CookieJar;
  readonly headers: Readonly<Record<string, string>>;
  /** Fires when the caller leaves: hand it to every call. */
  readonly signal: AbortSignal;
  /** From the `/ng-rollout/<id>` prefix, else from the `x-ng-rollout-id` header. */
  readonly rolloutId: string | undefined;
  /** The prefix the request came with (`/ng-rollout/<id>[/training-token-capture]`), "" without. */
  readonly prefix: string;
  /** `Set-Cookie` lines to add to the answer. */
  readonly setCookies: string[];
}

// biome-ignore lint/suspicious/noExplicitAny: `parse` of the same route decides the type of `body`
export type Handler = (body: any, context: RequestContext) => unknown;

export interface Route {
  method: "GET" | "POST";
  path: string;
  /** Checks the body; a refused one is answered 422. Without it the handler gets the JSON value as it came, undefined where there is none. */
  parse?: (body: unknown) => Validation<unknown>;
  /** Returns a JSON value (status 200), or `reply(...)`. */
  handler: Handler;
  /** Failure kind of an error thrown by the handler itself. */
  failureKind?: string;
}

const REPLY = Symbol("reply");

/** An answer with its own status, headers, text or stream. */
export function reply(parts: Partial<EndpointReply>): EndpointReply {
  return Object.assign({ status: 200, body: null }, parts, { [REPLY]: true });
}

export function isReply(value: unknown): value is EndpointReply {
  return typeof value === "object" && value !== null && REPLY in value;
}
