/**
 * How a call is told apart on its way: headers in, context, headers out. What a caller sends is a token of few characters or is not taken, for it goes
 * into every log line and every header that follows.
 */
import { type CallContext, currentCall } from "./context.ts";
import { randomHex } from "./random-hex.ts";
import { formatTraceparent, newTrace, nextHop, parseTraceparent, type TraceParent, validTracestate } from "./trace-context.ts";

/** Between our servers; from outside `x-request-id` is taken too. It is not sent under that name: some endpoints refuse a second call of one id. */
export const REQUEST_ID_HEADER = "x-ng-request-id";
/** The rollout that caused a call, for logs and traces only; `x-ng-rollout-id` is what a handler acts on. */
export const ROLLOUT_HEADER = "x-ng-rollout";

const TOKEN = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/;
const ROLLOUT = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const REQUEST_ID_BYTES = 8;

/** A request id or trace is made when somebody first asks for it: most calls are neither logged nor handed on. */
class ReceivedCall implements CallContext {
  readonly server: string;
  readonly rolloutId: string | undefined;
  readonly isRoot: boolean;
  readonly #headers: Readonly<Record<string, string>>;
  #requestId: string | undefined;
  #traceparent: string | undefined;

  constructor(server: string, headers: Readonly<Record<string, string>>, rolloutId: string | undefined, isRoot = false) {
    this.isRoot = isRoot;
    this.server = server;
    this.#headers = headers;
    this.rolloutId = rolloutId;
  }

  get requestId(): string {
    this.#requestId ??= token(this.#headers[REQUEST_ID_HEADER]) ?? token(this.#headers["x-request-id"]) ?? randomHex(REQUEST_ID_BYTES);
    return this.#requestId;
  }

  get traceparent(): string {
    if (this.#traceparent === undefined) {
      const parent = parseTraceparent(this.#headers.traceparent);
      this.#traceparent = formatTraceparent(parent === undefined ? newTrace() : nextHop(parent));
    }
    return this.#traceparent;
  }

  /** Belongs to a `traceparent` that was valid, so it goes with it or not at all. */
  get tracestate(): string | undefined {
    const { traceparent, tracestate } = this.#headers;
    return tracestate === undefined || parseTraceparent(traceparent) === undefined ? undefined : validTracestate(tracestate);
  }
}

function token(value: string | undefined): string | undefined {
  return value !== undefined && TOKEN.test(value) ? value : undefined;
}

/** The context of a request that a server takes in. `rolloutId`: what its path or body says. */
export function receivedCall(server: string, headers: Readonly<Record<string, string>>, rolloutId?: string): CallContext {
  return new ReceivedCall(server, headers, rollout(rolloutId) ?? rollout(headers[ROLLOUT_HEADER]));
}

/** The context of what this process begins by itself: a rollout of a collector. */
export function newCall(server: string, rolloutId?: string): CallContext {
  return new ReceivedCall(server, {}, rollout(rolloutId), true);
}

function rollout(id: string | undefined): string | undefined {
  return id !== undefined && ROLLOUT.test(id) ? id : undefined;
}

/** Headers that correlate an outgoing call with the call that is being answered; none where none is. An endpoint outside learns no rollout id. */
export function outgoingHeaders(outside: boolean): Record<string, string> {
  const call = currentCall();
  if (call === undefined) return {};
  const headers: Record<string, string> = { traceparent: call.traceparent, [REQUEST_ID_HEADER]: call.requestId };
  if (call.tracestate !== undefined) headers.tracestate = call.tracestate;
  if (call.rolloutId !== undefined && !outside) headers[ROLLOUT_HEADER] = call.rolloutId;
  return headers;
}

/** The same call within a span of its own: what it causes has that span as its parent. */
export function withinSpan(call: CallContext, trace: TraceParent): CallContext {
  const { server, requestId, rolloutId, tracestate } = call;
  return { server, requestId, rolloutId, tracestate, traceparent: formatTraceparent(trace) };
}
