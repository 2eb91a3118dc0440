import { describe, expect, test } from "vitest";
import { compareTranscript, type Exchange, type Replay, type Transcript } from "../src/index.ts";

/** A cookie value as our servers make them; the signature changes with every answer, the session does not. */
let signature = 0;
const signed = (session: string, more: object = {}): string =>
  `${Buffer.from(JSON.stringify({ session_id: session, ...more })).toString("base64url")}.${signature++}`;

const run: Exchange = {
  n: 1,
  from: "client",
  inside: null,
  to: "agent",
  method: "POST",
  path: "/run",
  request: { headers: [["content-type", "application/json"]], body: { json: { a: 1 } } },
  response: {
    status: 200,
    headers: [
      ["content-type", "application/json"],
      ["set-cookie", "Agent___agent=<signed session_id=S1>; path=/; Max-Age=9; httponly; samesite=lax"],
    ],
    body: { json: { id: "<any>", text: "resp_<hex32>", nested: [{ n: 5, phase: null }] } },
  },
  end: "complete",
};
const seed: Exchange = {
  n: 2,
  from: "agent",
  inside: 1,
  to: "res",
  method: "POST",
  path: "/seed_session",
  request: {
    headers: [
      ["accept", "*/*"],
      ["content-type", "application/json"],
      ["cookie", "Res___res=<signed session_id=S2>; brought=<signed session_id=S1>"],
    ],
    body: { json: {} },
  },
  response: { status: 200, headers: [["content-type", "application/json"]], body: null },
  end: "complete",
};

const transcript = (exchanges: Exchange[], steps: Transcript["input"]["steps"] = [{ to: "agent", path: "/run" }]): Transcript => ({
  id: "t",
  input: { servers: {}, steps },
  expected: { client_status: [200], exchanges },
});
const replay = (exchanges: Exchange[]): Replay => ({ clientStatus: [200], exchanges, captureFiles: {} });

/** Our own exchanges, equal to `run` and `seed` but for what may differ. */
function ours(): [Exchange, Exchange] {
  const [one, other] = structuredClone([run, seed]) as [Exchange, Exchange];
  one.request.body = { text: "the client's own doing" };
  if (one.response !== null) {
    one.response.headers[1] = ["set-cookie", `Agent___agent=${signed("x")}; HttpOnly; Max-Age=9; Path=/; SameSite=lax`];
    one.response.body = { json: { nested: [{ n: 5.0 }], text: `resp_${"0a".repeat(16)}`, id: 12 } };
  }
  other.request.headers = [
    ["content-type", "application/json"],
    ["cookie", `brought=${signed("x")}; Res___res=${signed("y")}`],
  ];
  return [one, other];
}

const differences = (change: (one: Exchange, other: Exchange) => void): string[] => {
  const [one, other] = ours();
  change(one, other);
  return compareTranscript(transcript([run, seed]), replay([one, other]));
};
const answer = (exchange: Exchange, json: unknown, status = 200): void => {
  exchange.response = { status, headers: exchange.response?.headers ?? [], body: { json } };
};

describe("what may differ", () => {
  test("key order, number form, newer null keys, order of cookies and attributes, placeholders, accept", () => {
    expect(differences(() => undefined)).toEqual([]);
  });
});

describe("what may not", () => {
  test.each<[string, (one: Exchange, other: Exchange) => void, RegExp]>([
    ["a status", (one) => answer(one, {}, 500), /1 client -> agent POST \/run: status: expected 200, got 500/],
    ["a content type", (_, other) => other.request.headers.shift(), /request content-type: expected \["application\/json"\], got \[\]/],
    ["an end", (_, other) => Object.assign(other, { end: "caller went away" }), /end: expected complete, got caller went away/],
    ["no response", (one) => Object.assign(one, { response: null }), /response: expected 200, got null/],
    ["a missing key", (one) => answer(one, { id: 1, text: `resp_${"0".repeat(32)}` }), /\.nested: expected \[.*, got nothing/],
    [
      "an unknown key, even null",
      (_, other) => Object.assign(other.request, { body: { json: { extra: null } } }),
      /\.extra: expected nothing, got null/,
    ],
    ["hex digits", (one) => answer(one, { id: 1, text: "resp_zz", nested: [{ n: 5 }] }), /\.text: expected "resp_<hex32>", got "resp_zz"/],
    [
      "a value that is absent",
      (one) => answer(one, { text: `resp_${"0".repeat(32)}`, nested: [{ n: 5 }] }),
      /\.id: expected "<any>", got nothing/,
    ],
    [
      "another session",
      (_, other) => Object.assign(other.request.headers[1] ?? [], { 1: `brought=${signed("new")}; Res___res=${signed("y")}` }),
      /request cookie/,
    ],
    [
      "two sessions that are one",
      (_, other) => Object.assign(other.request.headers[1] ?? [], { 1: `brought=${signed("x")}; Res___res=${signed("x")}` }),
      /request cookie/,
    ],
    [
      "a cookie attribute",
      (one) => Object.assign(one.response?.headers[1] ?? [], { 1: `Agent___agent=${signed("x")}; path=/` }),
      /response set-cookie/,
    ],
  ])("%s", (_name, change, message) => {
    const found = differences(change);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(message);
  });

  test("the sequence of calls, shown from the first that differs", () => {
    const [one, other] = ours();
    expect(compareTranscript(transcript([run, seed]), replay([one]))).toEqual([
      "calls from 2 on: expected agent -> res POST /seed_session in 1, got nothing",
    ]);
    expect(compareTranscript(transcript([run]), replay([one, other]))[0]).toMatch(/calls from 2 on: expected nothing, got agent -> res/);
  });

  test("what the client saw", () => {
    expect(compareTranscript(transcript([run, seed]), { ...replay(ours()), clientStatus: [null] })).toEqual([
      "statuses the client saw[0]: expected 200, got null",
    ]);
  });
});

const compareBodies = (expected: unknown, actual: unknown, status = 500): string[] => {
  const [one, other] = [structuredClone(run), structuredClone(run)];
  one.response = { status, headers: [], body: { json: expected } };
  other.response = { status, headers: [], body: { json: actual } };
  return compareTranscript(transcript([one]), replay([other]));
};

describe("error texts", () => {
  const wrap = (server: string, body: string): string =>
    `Hit an exception in ${server} calling an inner server: b'${body.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

  test("the prefix and the inner body bind, at any depth", () => {
    const deep = (message: string): string => wrap("A___a", JSON.stringify(wrap("M___m", `{"error": {"message": "${message}"}}`)));
    expect(compareBodies(deep("oops"), deep("oops").replaceAll(": {", ":{"))).toEqual([]);
    expect(compareBodies(deep("oops"), deep("other"))[0]).toMatch(
      /inner answer, inner answer\.error\.message: expected "oops", got "other"/,
    );
    expect(compareBodies(wrap("A___a", "text"), wrap("B___a", "text"))[0]).toMatch(/expected an error of A___a/);
    expect(compareBodies(wrap("A___a", "text"), wrap("A___a", "other"))).toHaveLength(1);
    expect(compareBodies(wrap("A___a", "text"), "something else")).toHaveLength(1);
  });

  test("the wording of exceptions does not", () => {
    expect(compareBodies("KeyError('role')", "role is missing")).toEqual([]);
    expect(compareBodies(wrap("A___a", JSON.stringify("JSONDecodeError('x')")), wrap("A___a", JSON.stringify("no JSON")))).toEqual([]);
    const output = (text: string): string => JSON.stringify({ error: `Invalid tool call arguments: ${text}` });
    expect(compareBodies({ output: output("JSONDecodeError('x')") }, { output: output("unexpected end") }, 200)).toEqual([]);
    expect(compareBodies({ output: output("JSONDecodeError('x')") }, { output: '{"error":"bad"}' }, 200)).toHaveLength(1);
    expect(compareBodies("a plain text", "another plain text")).toHaveLength(1);
  });

  test("validation answers bind by their places, union branches aside", () => {
    const issues = (...locs: unknown[][]): object => ({ detail: locs.map((loc) => ({ type: "t", loc, msg: "m" })) });
    expect(
      compareBodies(issues(["body", "input", "str"], ["body", "input", "list[tagged-union[A,B]]"]), issues(["body", "input"]), 422),
    ).toEqual([]);
    expect(compareBodies(issues(["body", "a"], ["body", "b"]), issues(["body", "b"], ["body", "a"]), 422)).toEqual([]);
    expect(compareBodies(issues(["body", "a"]), issues(["body", "b"]), 422)[0]).toMatch(
      /issues at \["body","a"\], got issues at \["body","b"\]/,
    );
    expect(compareBodies(issues(["body", "a"]), { detail: "a" }, 422)).toHaveLength(1);
    const either = issues(["body", 0, "AParam", "role"], ["body", 0, "BParam", "role"], ["body", 0, "BParam", "id"]);
    expect(compareBodies(either, issues(["body", 0, "role"]), 422)).toEqual([]);
    expect(compareBodies(either, issues(["body", 0, "role"], ["body", 0, "id"]), 422)).toEqual([]);
    expect(compareBodies(either, issues(["body", 0, "id"]), 422)).toHaveLength(1);
    const tagged = issues(["body", "input", "str"], ["body", "input", "list[tagged-union[A,B]]", 0, "call", "id"]);
    expect(compareBodies(tagged, issues(["body", "input", 0, "id"]), 422)).toEqual([]);
    expect(compareBodies(tagged, issues(["body", "input", 0, "call", "id"]), 422)).toHaveLength(1);
    const told = JSON.stringify(issues(["body", "city"]));
    expect(compareBodies({ output: told }, { output: told.replaceAll("m", "n") }, 200)).toEqual([]);
  });
});

test("event streams are compared frame by frame", () => {
  const stream = (frames: string[]): Exchange => ({ ...run, response: { status: 200, headers: [], body: { sse: frames } } });
  const compare = (...frames: string[]): string[] =>
    compareTranscript(
      transcript([stream([": keep-alive", 'event: a\ndata: {"x": 1, "id": "<any>"}', "data: [DONE]"])]),
      replay([stream(frames)]),
    );
  expect(compare(": keep-alive", 'event: a\ndata: {"id":7,"x":1}', "data: [DONE]")).toEqual([]);
  expect(compare(": keep-alive", 'event: b\ndata: {"id":7,"x":1}', "data: [DONE]")).toHaveLength(1);
  expect(compare('event: a\ndata: {"id":7,"x":1}', "data: [DONE]")[0]).toMatch(/expected 3 elements, got 2/);
});

describe("cookies of different servers are kept apart", () => {
  const call = (to: string, cookie: string): Exchange => ({
    ...seed,
    to,
    request: { headers: cookie === "" ? [] : [["cookie", cookie]], body: null },
  });
  const sets = (line: string): Exchange => {
    if (run.response === null) throw new Error("run has an answer");
    return { ...run, to: "res", response: { ...run.response, headers: [["set-cookie", line]] } };
  };
  const compare = (expected: Exchange, actual: Exchange): string[] => {
    const others = [run, sets("Res___res=<signed session_id=S2>"), sets("sid=1")];
    return compareTranscript(transcript([...others, expected]), replay([...ours().slice(0, 1), ...answered, actual]));
  };
  const answered = [sets(`Res___res=${signed("y")}`), sets("sid=1")].map((exchange) => ({
    ...exchange,
    response: filled(exchange.response),
  }));
  function filled(response: Exchange["response"]): Exchange["response"] {
    return response === null ? null : { ...response, body: ours()[0].response?.body ?? null };
  }
  const mixed = "Agent___agent=<signed session_id=S1>; Res___res=<signed session_id=S2>; sid=1; route=blue";

  test("a recorded call owes its target's own, and those that no server set", () => {
    expect(compare(call("res", mixed), call("res", `Res___res=${signed("y")}; sid=1; route=blue`))).toEqual([]);
    expect(compare(call("model", mixed), call("model", "route=blue"))).toEqual([]);
    expect(compare(call("model", "sid=1"), call("model", ""))).toEqual([]);
  });

  test("less and more are differences", () => {
    expect(compare(call("res", mixed), call("res", "sid=1; route=blue"))).toHaveLength(1);
    expect(compare(call("res", mixed), call("res", `Res___res=${signed("y")}; sid=1`))).toHaveLength(1);
    const leaked = `Agent___agent=${signed("x")}; Res___res=${signed("y")}; sid=1; route=blue`;
    expect(compare(call("res", mixed), call("res", leaked))).toHaveLength(1);
  });

  test("what a server sends to itself is its own choice", () => {
    expect(compare(call("agent", mixed), call("agent", "route=blue"))).toHaveLength(1);
  });
});

test("a session binds what it is said to bind", () => {
  const cookie = (value: string): Exchange => ({
    ...run,
    request: { headers: [["cookie", `A___a=${value}`]], body: null },
    response: null,
  });
  const compare = (expected: string, more: object): string[] =>
    compareTranscript(transcript([cookie(`<signed session_id=S1,agent_session_id=${expected}>`)]), replay([cookie(signed("x", more))]));
  expect(compare("s-9", { agent_session_id: "s-9" })).toEqual([]);
  expect(compare("s-<hex32>", { agent_session_id: `s-${"f".repeat(32)}` })).toEqual([]);
  expect(compare("s-9", { agent_session_id: "s-8" })).toHaveLength(1);
  expect(compare("s-9", {})).toHaveLength(1);
});

describe("calls at once", () => {
  const row = (n: number, value: number, session: string): Exchange => ({
    ...seed,
    n,
    request: { headers: [["cookie", `Res___res=${session}`]], body: { json: { value } } },
  });
  const together: Transcript["input"]["steps"] = [{ together: [{ to: "agent", path: "/run" }] }];
  const recorded = [
    row(1, 1, "<signed session_id=S1>"),
    row(2, 2, "<signed session_id=S2>"),
    row(3, 11, "<signed session_id=S1>"),
    row(4, 12, "<signed session_id=S2>"),
  ];

  test("any order that keeps the sessions apart is right", () => {
    const mixed = [row(1, 2, signed("b")), row(2, 12, signed("b")), row(3, 1, signed("a")), row(4, 11, signed("a"))];
    expect(compareTranscript(transcript(recorded, together), replay(mixed))).toEqual([]);
  });

  test("sessions that cross are not", () => {
    const crossed = [row(1, 2, signed("b")), row(2, 12, signed("a")), row(3, 1, signed("a")), row(4, 11, signed("b"))];
    expect(compareTranscript(transcript(recorded, together), replay(crossed))).toHaveLength(1);
  });

  test("neither is another number of calls", () => {
    expect(compareTranscript(transcript(recorded, together), replay(recorded.slice(1)))[0]).toMatch(/^calls: expected/);
  });
});
