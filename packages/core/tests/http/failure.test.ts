/** Facts of a failure on their way through hops: bounded, typed, and unable to carry anything but text. */
import { describe, expect, test } from "vitest";
import { classifyTransportError } from "../../src/http/classify.ts";
import {
  createServerClient,
  type EndpointReply,
  FAILURE_HEADER_LIMIT_CHARS,
  type FailureFacts,
  factsOf,
  failureFacts,
  failureHeaders,
  type Reply,
  raiseForStatus,
} from "../../src/http/index.ts";
import { GymError } from "../../src/protocol/index.ts";

async function replyOf(answer: EndpointReply): Promise<Reply> {
  await using client = createServerClient({ addressOf: () => ({ url: "" }), local: new Map([["judge", { handle: async () => answer }]]) });
  return client.call("judge", { kind: "tool", path: "/x" });
}

function thrownBy(reply: Reply): GymError {
  try {
    raiseForStatus(reply, "judge", "/x");
  } catch (error) {
    if (error instanceof GymError) return error;
  }
  throw new Error("nothing was thrown");
}

describe("the failure header", () => {
  const facts: FailureFacts = {
    failure_kind: "judge:upstream_status",
    boundary: "judge",
    url: "http://h/x",
    status: 503,
    attempts: 3,
    body: "büsy\n",
    message: "no",
  };

  test("brings every fact back", () => {
    expect(failureFacts(failureHeaders(facts))).toEqual(facts);
  });

  test.each([
    ["wide characters", "模".repeat(2_000)],
    ["pairs that a cut may split", `x${"😀".repeat(2_000)}`],
    ["characters that encode to three", "%".repeat(5_000)],
  ])("keeps its limit with %s", (_, text) => {
    const headers = failureHeaders({ ...facts, body: text, message: text, url: text });
    expect(headers["x-ng-failure"]?.length).toBeLessThanOrEqual(FAILURE_HEADER_LIMIT_CHARS);
    expect(failureFacts(headers)).toMatchObject({ failure_kind: "judge:upstream_status", status: 503, attempts: 3 });
    expect(failureFacts(headers)?.body?.length).toBeGreaterThan(50);
  });

  test("holds no line break, whatever the texts hold", () => {
    const hostile = "a\r\nset-cookie: s=1\r\n\r\n";
    for (const value of Object.values(failureHeaders({ ...facts, failure_kind: hostile, boundary: hostile, body: hostile }))) {
      expect(value).toMatch(/^[\x21-\x7e]+$/);
    }
  });

  test.each([
    ["no JSON", "%7B"],
    ["no encoding", "%E0%A4%A"],
    ["null", "null"],
    ["facts without a kind", encodeURIComponent('{"boundary":"x"}')],
    ["a kind that is no text", encodeURIComponent('{"failure_kind":1,"boundary":"x"}')],
  ])("is ignored where it holds %s", (_, text) => {
    expect(failureFacts({ "x-ng-failure": text })).toBeUndefined();
  });

  test("keeps only what has the right type, without control characters", () => {
    const text = encodeURIComponent(
      '{"failure_kind":"k\\u001b[31m","boundary":"b\\r\\nERROR forged","status":"200","attempts":1e400,"extra":1,"__proto__":{"x":1}}',
    );
    const read = failureFacts({ "x-ng-failure": text });
    expect(read).toEqual({ failure_kind: "k\\u001b[31m", boundary: "b\\u000d\nERROR forged" });
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  });
});

describe("an error status as an error", () => {
  test("names server, route, status and the start of the body, and keeps the body for the wire", async () => {
    const error = thrownBy(await replyOf({ status: 503, body: null, text: `busy ${"x".repeat(5_000)}` }));
    expect(error).toMatchObject({
      code: "NG_ERR_UPSTREAM_STATUS",
      details: { failure_kind: "judge:upstream_status", boundary: "judge", status: 503, inner_status: 503 },
    });
    expect(error.message).toMatch(/^judge answered 503 to \/x: busy x+$/);
    expect(error.message.length).toBeLessThan(2_100);
    expect(String(error.details.inner_body)).toHaveLength(5_005);
  });

  test("hands at most 64 Ki characters of the body on", async () => {
    const error = thrownBy(await replyOf({ status: 500, body: null, text: "x".repeat(1_000_000) }));
    expect(String(error.details.inner_body)).toHaveLength(65_536);
    expect(failureHeaders(factsOf(error) as FailureFacts)["x-ng-failure"]?.length).toBeLessThanOrEqual(FAILURE_HEADER_LIMIT_CHARS);
  });

  test("the first hop that broke keeps its name", async () => {
    const inner: FailureFacts = { failure_kind: "transport_unreachable", boundary: "model", attempts: 3 };
    const error = thrownBy(await replyOf({ status: 500, body: "no", headers: failureHeaders(inner) }));
    expect(factsOf(error)).toMatchObject(inner);
  });

  test("control characters of the body do not reach the message", async () => {
    const error = thrownBy(await replyOf({ status: 500, body: null, text: "a\u001b[2Jb\rc\u202ed" }));
    expect(error.message).toBe("judge answered 500 to /x: a\\u001b[2Jb\\u000dc\\u202ed");
  });
});

test.each([
  ["ECONNREFUSED", "unreachable"],
  ["ENOTFOUND", "unreachable"],
  ["UND_ERR_CONNECT_TIMEOUT", "unreachable"],
  ["ECONNRESET", "peer_drop"],
  ["UND_ERR_SOCKET", "peer_drop"],
  ["EMFILE", "local_resource"],
  ["EADDRNOTAVAIL", "local_resource"],
  ["ERR_OF_A_PROGRAMMER", undefined],
])("a transport error %s is %s, also as a cause and inside an aggregate", (code, kind) => {
  const error = Object.assign(new Error("x"), { code });
  expect(classifyTransportError(error)).toBe(kind);
  expect(classifyTransportError(new Error("wrapped", { cause: error }))).toBe(kind);
  expect(classifyTransportError(new AggregateError([error]))).toBe(kind);
});
