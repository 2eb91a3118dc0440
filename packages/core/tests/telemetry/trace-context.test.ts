import { expect, test } from "vitest";
import { formatTraceparent, nextHop, parseTraceparent, validTracestate } from "../../src/telemetry/trace-context.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";

test.each([
  [`00-${TRACE}-${SPAN}-01`, true],
  [`00-${TRACE}-${SPAN}-00`, false],
  // A flag of a later level beside the one that is known.
  [`00-${TRACE}-${SPAN}-03`, true],
  // A version to come: what is known of it is read.
  [`cc-${TRACE}-${SPAN}-01-what-the-future-will-be-like`, true],
])("%s is taken over, one hop further", (header, sampled) => {
  const parent = parseTraceparent(header);
  expect(parent).toEqual({ traceId: TRACE, spanId: SPAN, sampled });
  const next = nextHop(parent as NonNullable<typeof parent>);
  expect(next).toEqual({ traceId: TRACE, spanId: expect.stringMatching(/^[0-9a-f]{16}$/), sampled });
  expect(next.spanId).not.toBe(SPAN);
  expect(parseTraceparent(formatTraceparent(next))).toEqual(next);
});

test.each([
  undefined,
  "",
  `ff-${TRACE}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${"0".repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${"0".repeat(16)}-01`,
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-01\r\nx-evil: 1`,
  `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
  `cc-${TRACE}-${SPAN}-01-${"x".repeat(10_000)}`,
])("%j is no traceparent", (header) => expect(parseTraceparent(header)).toBeUndefined());

test.each([
  ["vendor=value", "vendor=value"],
  ["a=1, b@c=x y ,,", "a=1,b@c=x y"],
  ["UPPER=1", undefined],
  ["a", undefined],
  ["a=1\u001b[31m", undefined],
  ["", undefined],
  [Array.from({ length: 33 }, (_, n) => `k${n}=v`).join(","), undefined],
  [`a=${"x".repeat(600)}`, undefined],
])("tracestate %j is handed on as %j", (header, handedOn) => expect(validTracestate(header)).toBe(handedOn));
