import { describe, expect, test } from "vitest";
import { newCall, outgoingHeaders, receivedCall, withCall } from "../../src/telemetry/index.ts";

const PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

const handedOn = (headers: Record<string, string>, { rollout, outside = false }: { rollout?: string; outside?: boolean } = {}) =>
  withCall(receivedCall("server", headers, rollout), () => outgoingHeaders(outside));

describe("a request id", () => {
  test("is taken over from our servers, else from outside, else made", () => {
    expect(handedOn({ "x-ng-request-id": "ours", "x-request-id": "theirs" })["x-ng-request-id"]).toBe("ours");
    expect(handedOn({ "x-request-id": "0b7c:a.b_c-1" })["x-ng-request-id"]).toBe("0b7c:a.b_c-1");
    expect(handedOn({})["x-ng-request-id"]).toMatch(/^[0-9a-f]{16}$/);
  });

  test.each(["", " ", "a b", "a\nb", "a\u001b[2J", "ü", "-a", "x".repeat(65), "a,b"])("%j is not taken", (id) => {
    expect(handedOn({ "x-request-id": id })["x-ng-request-id"]).toMatch(/^[0-9a-f]{16}$/);
  });

  test("is one within a call, and another in another", () => {
    const call = receivedCall("server", {});
    const ids = [call, call, receivedCall("server", {})].map((one) => withCall(one, () => outgoingHeaders(false)["x-ng-request-id"]));
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).not.toBe(ids[0]);
  });
});

test("a trace goes on with a span of our own; its state goes with it", () => {
  const headers = handedOn({ traceparent: PARENT, tracestate: "a=1" });
  expect(headers.traceparent).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$/);
  expect(headers.tracestate).toBe("a=1");
});

test("without a trace one begins, and state of none is dropped", () => {
  const headers = handedOn({ traceparent: "nonsense", tracestate: "a=1" });
  expect(headers.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  expect(headers).not.toHaveProperty("tracestate");
});

test("a rollout is told to our servers and to nobody else, and hostile ones to nobody", () => {
  expect(handedOn({}, { rollout: "3-1-a2" })["x-ng-rollout"]).toBe("3-1-a2");
  expect(handedOn({ "x-ng-rollout": "3-1" })["x-ng-rollout"]).toBe("3-1");
  expect(handedOn({}, { rollout: "3-1", outside: true })).not.toHaveProperty("x-ng-rollout");
  for (const rollout of ["a b", "a\nb", "", "x".repeat(200)]) expect(handedOn({}, { rollout })).not.toHaveProperty("x-ng-rollout");
});

test("what a process begins by itself is correlated too; outside of any call nothing is sent", () => {
  const headers = withCall(newCall("collector", "0-0"), () => outgoingHeaders(false));
  expect(headers).toEqual({ traceparent: expect.any(String), "x-ng-request-id": expect.any(String), "x-ng-rollout": "0-0" });
  expect(outgoingHeaders(false)).toEqual({});
});
