/** What records spans, seen from those who have something to record. There is none unless the configuration asks for it. */
import type { TraceParent } from "./trace-context.ts";

export interface SpanStart {
  /** `server`: a request that is answered; `client`: a call that is made. */
  kind: "server" | "client";
  name: string;
  /** The server that answers or calls. */
  server: string;
  /** A narrower group than its kind, where it has one: rollout, verify, model_call. */
  group: string | undefined;
  /** As it came with the request, or of the call that is being answered. */
  traceparent: string | undefined;
  facts: Record<string, string | number | undefined>;
}

export interface Span {
  readonly trace: TraceParent;
  /** `status` 0: no answer could be had. */
  end(status: number): void;
}

export interface Tracing {
  /** Undefined for a span that the configuration leaves out. */
  start(span: SpanStart): Span | undefined;
  /** Sends what is left, within a bound, and ends. Never throws. */
  shutdown(): Promise<void>;
}
