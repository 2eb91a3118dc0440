/** Which call is being answered right now: set by whoever takes a request in, read by loggers and by the client, however deep in a handler they sit. */
import { AsyncLocalStorage } from "node:async_hooks";

export interface CallContext {
  /** One call of a client from outside and everything it caused: handed on over every hop. */
  readonly requestId: string;
  readonly rolloutId?: string | undefined;
  /** W3C Trace Context, as it is handed on. */
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
  /** The server that answers the call. */
  readonly server: string;
  /** Begun here, without a span: the first span below it is the trace's root. */
  readonly isRoot?: boolean;
}

const calls = new AsyncLocalStorage<CallContext | undefined>();

export function currentCall(): CallContext | undefined {
  return calls.getStore();
}

export function withCall<T>(context: CallContext, work: () => T): T {
  return calls.run(context, work);
}

/** For what no call caused: work that a timer does for many, and that began within one of them by chance. */
export function outsideCalls<T>(work: () => T): T {
  return calls.run(undefined, work);
}
