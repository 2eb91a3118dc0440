/** W3C Trace Context, level 1: which trace a call belongs to and which span caused it. What others send is checked before it is used. */
import { randomHex } from "./random-hex.ts";

export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits: the span that sent the call. */
  readonly spanId: string;
  readonly sampled: boolean;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.{0,200})?$/;
const NONE = /^0+$/;

/** Undefined where the header is none: a new trace begins then. Of versions to come the part that is known is read. */
export function parseTraceparent(header: string | undefined): TraceParent | undefined {
  const match = header === undefined ? null : TRACEPARENT.exec(header);
  if (match === null) return undefined;
  const [, version, traceId, spanId, flags, more] = match as unknown as [string, string, string, string, string, string | undefined];
  if (version === "ff" || (version === "00" && more !== undefined) || NONE.test(traceId) || NONE.test(spanId)) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function formatTraceparent({ traceId, spanId, sampled }: TraceParent): string {
  return `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`;
}

/**
 * A trace that begins here counts as sampled: whoever records traces behind us follows the flag, and would keep none of a trace that says it is not.
 */
export function newTrace(): TraceParent {
  return { traceId: randomHex(16), spanId: randomHex(8), sampled: true };
}

/** The same trace, one hop further. */
export function nextHop(parent: TraceParent): TraceParent {
  return { traceId: parent.traceId, spanId: randomHex(8), sampled: parent.sampled };
}

const TRACESTATE_LIMIT_CHARS = 512;
const TRACESTATE_LIMIT_MEMBERS = 32;
const MEMBER = /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/** The header as it may be handed on, undefined where it is not one. */
export function validTracestate(header: string | undefined): string | undefined {
  if (header === undefined || header.length > TRACESTATE_LIMIT_CHARS) return undefined;
  const members = header.split(",").map((member) => member.trim());
  const named = members.filter((member) => member !== "");
  if (named.length === 0 || named.length > TRACESTATE_LIMIT_MEMBERS || !named.every((member) => MEMBER.test(member))) return undefined;
  return named.join(",");
}
