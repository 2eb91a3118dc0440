import { describe, expect, test } from "vitest";
import {
  type ErrorCode,
  FAILURE_KINDS,
  FAILURE_TEXT_LIMIT_CHARS,
  failureClassOf,
  failureFactsOf,
  failureKindOf,
  GymError,
  isFailureKind,
  isUnscored,
  serverFailureKind,
} from "../../src/protocol/index.ts";

function error(code: ErrorCode, details: Record<string, unknown> = {}): GymError {
  return new GymError(code, "broke", { details });
}

describe("failure kinds", () => {
  test("the vocabulary has 22 names and the names of servers", () => {
    expect(new Set(FAILURE_KINDS).size).toBe(22);
    expect(["cancelled", "code_gen:bad_response"].map(isFailureKind)).toEqual([true, true]);
    expect(["Cancelled", "code gen:x", "a:B", "", 5, null].map(isFailureKind)).toEqual([false, false, false, false, false, false]);
    expect(serverFailureKind("My Server-1", "bad_response")).toBe("my_server_1:bad_response");
    expect(isFailureKind(serverFailureKind("7up", "upstream_status"))).toBe(true);
  });

  test.each<[ErrorCode, Record<string, unknown>, string | undefined]>([
    ["NG_ERR_UNREACHABLE", {}, "transport_unreachable"],
    ["NG_ERR_PEER_DROP", {}, "transport_peer_drop"],
    ["NG_ERR_TIMEOUT", {}, "transport_timeout"],
    ["NG_ERR_TIMEOUT", { path: "/run" }, "agent_timeout"],
    ["NG_ERR_LOCAL_RESOURCE", {}, "transport_local_resource"],
    ["NG_ERR_VERIFIER", {}, "verifier_error"],
    ["NG_ERR_NO_CHECKS", {}, "verifier_error"],
    ["NG_ERR_CANCELLED", {}, "cancelled"],
    ["NG_ERR_UPSTREAM_STATUS", { server: "m_openai", status: 500 }, "m_openai:upstream_status"],
    ["NG_ERR_BAD_RESPONSE", { boundary: "m_openai" }, "m_openai:bad_response"],
    ["NG_ERR_UPSTREAM_STATUS", { server: "a", failure_kind: "judge_failed" }, "judge_failed"],
    ["NG_ERR_USAGE", {}, undefined],
  ])("%s %o is %s", (code, details, kind) => {
    expect(failureKindOf(error(code, details))).toBe(kind);
  });

  test("the class says whether the server itself answered", () => {
    expect(failureClassOf(error("NG_ERR_UPSTREAM_STATUS", { status: 500 }))).toBe("agent_run_error");
    expect(failureClassOf(error("NG_ERR_BAD_RESPONSE"))).toBe("agent_run_error");
    for (const status of [429, 502, 503, 504])
      expect(failureClassOf(error("NG_ERR_UPSTREAM_STATUS", { status }))).toBe("agent_request_failed");
    expect(failureClassOf(error("NG_ERR_UNREACHABLE"))).toBe("agent_request_failed");
    expect(failureClassOf(error("NG_ERR_CANCELLED"))).toBe("cancelled");
    expect(failureClassOf(new Error("x"))).toBe("agent_request_failed");
  });

  test("facts name hop, tries and a bounded reason", () => {
    const facts = failureFactsOf(error("NG_ERR_UNREACHABLE", { boundary: "m", attempts: 3 }));
    expect(facts).toEqual({ kind: "transport_unreachable", class: "agent_request_failed", boundary: "m", attempts: 3, reason: "broke" });
    expect(failureFactsOf(new Error("x".repeat(5000))).reason).toHaveLength(FAILURE_TEXT_LIMIT_CHARS);
  });

  test("failed and masked rows are no measurements", () => {
    expect([{ _ng_failure_class: "" }, { mask_sample: true }].map(isUnscored)).toEqual([true, true]);
    expect([{ reward: 0 }, { _ng_failure_class: null, mask_sample: false }].map(isUnscored)).toEqual([false, false]);
  });
});
