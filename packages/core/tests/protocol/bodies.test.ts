import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  attemptKey,
  fromZod,
  isChatShaped,
  laxBool,
  laxFloat,
  laxInt,
  materializeRequest,
  parseAgentSessionBody,
  parseAggregateBody,
  parseCloseSessionBody,
  parseEpisodeAnswer,
  parseEpisodeRequest,
  parseJson,
  parseResponse,
  parseRunBody,
  parseScoredAnswer,
  parseSeedBody,
  parseVerifyBody,
  rolloutIdOf,
  stringifyJson,
  type Validation,
  verifyAnswer,
} from "../../src/protocol/index.ts";

const response = {
  id: "r1",
  created_at: 5,
  model: "m",
  object: "response",
  output: [],
  parallel_tool_calls: true,
  tool_choice: "auto",
  tools: [],
};
const episode = { rollout_id: "r1", attempt: 0 };
const task = { taskset: "t", task_id: "1" };

function accepted<T>(result: Validation<T>): T {
  expect(result).toMatchObject({ ok: true });
  if (!result.ok) throw new Error("refused");
  return result.value;
}

function refused(result: Validation<unknown>): { type: string; loc: (string | number)[] }[] {
  expect(result.ok).toBe(false);
  return result.ok ? [] : result.issues.map(({ type, loc }) => ({ type, loc }));
}

describe("rows on the wire", () => {
  const row = { responses_create_params: { input: "q" }, custom: { a: [1, 2.5, null, "ø"] }, _ng_task_index: 3, odd: { "": 0 } };

  test("unknown fields survive a round trip through /run and /verify", () => {
    expect(accepted(parseRunBody(row))).toEqual(row);
    const verify = accepted(parseVerifyBody({ ...row, response: { ...response, vendor: { x: 1 } } }));
    expect(verify).toMatchObject({ ...row, response: { vendor: { x: 1 }, usage: null } });
  });

  test("a json_schema format survives verify, also in the spelling of a Python server's dump", () => {
    const format = { type: "json_schema", name: "s", description: null, strict: null };
    for (const key of ["schema", "schema_"]) {
      const text = { format: { ...format, [key]: { type: "object" } }, verbosity: null };
      const verify = accepted(parseVerifyBody({ ...row, response: { ...response, text } }));
      expect(verify.response.text).toEqual({ format: { ...format, schema: { type: "object" } }, verbosity: null });
    }
  });

  test("the content of a row passes by reference and is not changed", () => {
    expect(accepted(parseRunBody(row)).custom).toBe(row.custom);
  });

  test("the verify answer holds the request in full and the failure keys", () => {
    const body = accepted(parseVerifyBody({ ...row, response }));
    const answer = verifyAnswer(body, { reward: 1, extracted_answer: "B" });
    expect(answer).toMatchObject({ reward: 1, mask_sample: false, failure_kind: null, failure_reason: null, extracted_answer: "B" });
    expect(answer.responses_create_params).toEqual(materializeRequest({ input: "q" }));
    expect(answer.response).toEqual(accepted(parseResponse(response)));
    expect(accepted(parseScoredAnswer(answer))).toMatchObject({ reward: 1 });
  });

  test.each([["x"], [null], [undefined], [Number.NaN]])("a reward of %s is refused", (reward) => {
    expect(refused(parseScoredAnswer({ reward }))[0]?.loc).toEqual(["body", "reward"]);
  });

  test("a wrong request inside a row is named by its place", () => {
    const body = { responses_create_params: { input: [{ type: "message", role: "user", content: null }], seed: 1 } };
    expect(refused(parseRunBody(body))).toEqual(
      expect.arrayContaining([
        { type: "list_type", loc: ["body", "responses_create_params", "input", 0, "content"] },
        { type: "extra_forbidden", loc: ["body", "responses_create_params", "seed"] },
      ]),
    );
    expect(refused(parseRunBody([]))).toEqual([{ type: "model_attributes_type", loc: ["body"] }]);
  });

  test("chat-shaped turns are kept whole for a converter", () => {
    const turn = { role: "assistant", content: "t", tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }] };
    expect(isChatShaped(turn)).toBe(true);
    expect(accepted(parseRunBody({ responses_create_params: { input: [turn] } })).responses_create_params.input).toEqual([turn]);
    expect(isChatShaped({ type: "message", ...turn })).toBe(false);
    expect(isChatShaped({ role: "user", content: "t" })).toBe(false);
  });

  test("__proto__ in a body reaches no prototype", () => {
    const bad = '"__proto__":{"polluted":true}';
    const body = parseJson(`{${bad},"responses_create_params":{"input":[{${bad},"role":"user","content":"q"}]},"custom":{${bad}}}`);
    const run = accepted(parseRunBody(body));
    for (const object of [run, run.responses_create_params, run.custom, {}]) {
      expect((object as { polluted?: boolean }).polluted).toBeUndefined();
      expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
    }
    expect(stringifyJson(run.custom)).toBe(`{${bad}}`);
    const asked = fromZod(z.object({ metadata: z.looseObject({}) }))(parseJson(`{"metadata":{${bad},"a":1}}`));
    expect(Object.getPrototypeOf(accepted(asked).metadata)).toBe(Object.prototype);
  });
});

describe("sessions", () => {
  const seed = { resources_session_id: "s", episode_id: episode, task_id: task, task_data: { a: 1 } };

  test("a seed is typed, or a row", () => {
    expect(accepted(parseSeedBody(seed))).toEqual({ kind: "typed", seed });
    const row = { responses_create_params: { input: "q" }, a: 1 };
    expect(accepted(parseSeedBody(row))).toEqual({ kind: "row", row });
    expect(accepted(parseSeedBody({}))).toEqual({ kind: "row", row: {} });
    expect(refused(parseSeedBody([]))).toEqual([{ type: "dict_type", loc: ["body"] }]);
  });

  test("a body with resources_session_id that does not fit the typed form is refused", () => {
    expect(refused(parseSeedBody({ resources_session_id: "s", a: 1 }))).toEqual(
      expect.arrayContaining([
        { type: "missing", loc: ["body", "episode_id"] },
        { type: "extra_forbidden", loc: ["body", "a"] },
      ]),
    );
  });

  test("closing needs both ids", () => {
    expect(refused(parseCloseSessionBody({}))).toEqual([
      { type: "missing", loc: ["body", "resources_session_id"] },
      { type: "missing", loc: ["body", "episode_id"] },
    ]);
    expect(accepted(parseCloseSessionBody({ resources_session_id: "s", episode_id: { rollout_id: "r" } })).episode_id).toEqual({
      rollout_id: "r",
      attempt: 0,
    });
  });

  test("agent sessions: defaults, unique names, refused ids", () => {
    const request = { agent_session_id: "a", episode_id: episode, task_id: task };
    expect(accepted(parseAgentSessionBody(request))).toEqual({ ...request, tool_accesses: [], sandbox_access: null });
    const access = { kind: "direct_http", name: "res", required: true, base_url: "http://x/", cookies: { sid: "9" }, headers: {} };
    expect(accepted(parseAgentSessionBody({ ...request, tool_accesses: [access] })).tool_accesses).toEqual([access]);
    expect(refused(parseAgentSessionBody({ ...request, tool_accesses: [access, access] }))[0]?.loc).toEqual(["body", "tool_accesses"]);
    expect(refused(parseAgentSessionBody({ ...request, agent_session_id: "" }))).toEqual([
      { type: "string_too_short", loc: ["body", "agent_session_id"] },
    ]);
    expect(refused(parseAgentSessionBody({ ...request, episode_id: { rollout_id: "r1-a2", attempt: 0 } }))).toEqual([
      { type: "value_error", loc: ["body", "episode_id", "rollout_id"] },
    ]);
  });
});

describe("episodes", () => {
  const request = { episode_id: episode, task: { task_id: task, task_input: { responses_create_params: { input: "q" }, city: "Oslo" } } };

  test("flat fields are folded into task_data", () => {
    expect(accepted(parseEpisodeRequest(request)).task.task_input).toEqual({
      responses_create_params: { input: "q" },
      task_data: { city: "Oslo" },
    });
    const both = { ...request.task.task_input, task_data: { city: "Rome" } };
    expect(refused(parseEpisodeRequest({ ...request, task: { task_id: task, task_input: both } }))).toEqual([
      { type: "value_error", loc: ["body", "task", "task_input"] },
    ]);
  });

  test("bad ids and unknown keys are named", () => {
    expect(refused(parseEpisodeRequest({ ...request, extra: 1 }))).toEqual([{ type: "extra_forbidden", loc: ["body", "extra"] }]);
    expect(refused(parseEpisodeRequest({ ...request, episode_id: { rollout_id: "bad id" } }))).toEqual([
      { type: "string_pattern_mismatch", loc: ["body", "episode_id", "rollout_id"] },
    ]);
  });

  test("an answer is a result or a failure, never both", () => {
    const failure = { failure_reason: "x", terminal: false, stage: "agent" };
    expect(accepted(parseEpisodeAnswer({ episode_id: episode, task_id: task, failure }))).toMatchObject({ result: null, failure });
    expect(parseEpisodeAnswer({ episode_id: episode, task_id: task, failure, result: {} }).ok).toBe(false);
    expect(parseEpisodeAnswer({ episode_id: episode, task_id: task }).ok).toBe(false);
  });

  test("attempts and rollouts are named", () => {
    expect(attemptKey(episode)).toBe("r1");
    expect(attemptKey({ rollout_id: "r1", attempt: 2 })).toBe("r1-a2");
    expect(rolloutIdOf({ _ng_task_index: 3, _ng_rollout_index: 0, _ng_attempt_index: 2 })).toBe("3-0");
  });
});

describe("coercion for row schemas", () => {
  const parse = fromZod(z.object({ n: laxInt, x: laxFloat, b: laxBool, s: z.string() }));

  test("numbers, texts and booleans are read as the reference reads them", () => {
    expect(accepted(parse({ n: "5", x: true, b: "no", s: "" }))).toEqual({ n: 5, x: 1, b: false, s: "" });
    expect(accepted(parse({ n: 1.0, x: " 1e3 ", b: 1, s: "a" }))).toEqual({ n: 1, x: 1000, b: true, s: "a" });
  });

  test("what does not fit is named by rule and place, all at once", () => {
    expect(refused(parse({ n: 1.5, x: "hot", b: "maybe", s: 5 }))).toEqual([
      { type: "int_from_float", loc: ["body", "n"] },
      { type: "float_parsing", loc: ["body", "x"] },
      { type: "bool_parsing", loc: ["body", "b"] },
      { type: "string_type", loc: ["body", "s"] },
    ]);
    expect(refused(parse({}))).toEqual(["n", "x", "b", "s"].map((key) => ({ type: "missing", loc: ["body", key] })));
  });

  test("a missing field shows the object that lacks it", () => {
    expect(parse({ n: 1, x: 1, b: true })).toMatchObject({ issues: [{ type: "missing", input: { n: 1, x: 1, b: true } }] });
  });

  test("aggregate bodies", () => {
    expect(refused(parseAggregateBody({}))).toEqual([{ type: "missing", loc: ["body", "verify_responses"] }]);
    expect(refused(parseAggregateBody({ verify_responses: "x" }))).toEqual([{ type: "list_type", loc: ["body", "verify_responses"] }]);
    expect(accepted(parseAggregateBody({ verify_responses: [{ reward: "x" }] })).verify_responses).toEqual([{ reward: "x" }]);
  });
});
