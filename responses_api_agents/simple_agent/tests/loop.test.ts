import type { ModelResponse, ResponsesRequest } from "@ng-gym/core/protocol";
import { describe, expect, test } from "vitest";
import { type LoopOptions, runLoop } from "../loop.ts";

const usage = (n: number) => ({
  input_tokens: n,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: n,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 2 * n,
});
const call = (id: string, name = "do_it") => ({ type: "function_call", id: `fc_${id}`, call_id: id, name, arguments: "{}" });
const message = (text: string) => ({
  type: "message",
  role: "assistant",
  id: "m",
  content: [{ type: "output_text", text, annotations: [] }],
});

function answer(output: object[], more: object = {}): ModelResponse {
  return {
    id: "r",
    status: "completed",
    metadata: null,
    incomplete_details: null,
    output,
    usage: usage(1),
    ...more,
  } as unknown as ModelResponse;
}

/** Runs the loop against scripted answers (the last one repeats) and keeps what was asked and called. */
async function play(answers: ModelResponse[], options: Partial<LoopOptions> = {}, request: object = { input: "go" }) {
  const asked: ResponsesRequest[] = [];
  const called: string[] = [];
  const result = await runLoop(
    request as ResponsesRequest,
    {
      askModel: async (sent) => {
        asked.push(sent);
        return answers[Math.min(asked.length, answers.length) - 1] as ModelResponse;
      },
      callTool: async ({ call_id }) => {
        called.push(call_id);
        return `result of ${call_id}`;
      },
    },
    { maxSteps: 0, executeTools: true, ...options },
  );
  return { asked, called, result };
}

const result = (id: string) => ({ type: "function_call_output", call_id: id, output: `result of ${id}` });

describe("the loop", () => {
  test("a message ends it", async () => {
    const { asked, result } = await play([answer([message("hi")])], {}, { input: "go", temperature: 0 });
    expect(asked).toEqual([{ input: [{ role: "user", content: "go" }], temperature: 0 }]);
    expect(result.output).toEqual([message("hi")]);
  });

  test("calls run in order, and the model is asked again with everything so far", async () => {
    const {
      asked,
      called,
      result: end,
    } = await play([answer([call("a"), message("wait"), call("b"), call("a")]), answer([message("done")], { id: "last" })]);
    expect(called).toEqual(["a", "b", "a"]);
    expect(asked[1]?.input).toEqual([
      { role: "user", content: "go" },
      call("a"),
      message("wait"),
      call("b"),
      call("a"),
      result("a"),
      result("b"),
      result("a"),
    ]);
    expect(end.output.map((item) => item.type)).toEqual([
      "function_call",
      "message",
      "function_call",
      "function_call",
      ...Array(3).fill("function_call_output"),
      "message",
    ]);
    expect(end.output[4]).toEqual({ ...result("a"), id: null, status: null });
    expect(end.id).toBe("last");
    expect(end.usage).toEqual(usage(2));
  });

  test("what was sent before is not changed by what comes after", async () => {
    const { asked } = await play([answer([call("a")]), answer([call("b")]), answer([message("x")])]);
    expect(asked.map(({ input }) => input.length)).toEqual([1, 3, 5]);
  });

  test("a cut-off answer ends it before its calls run", async () => {
    const cut = answer([call("a")], { incomplete_details: { reason: "max_output_tokens" }, status: "incomplete" });
    const { called, result: end } = await play([cut]);
    expect(called).toEqual([]);
    expect(end).toMatchObject({ status: "incomplete", output: [call("a")] });
  });

  test("max_steps ends it after the tools of the last step", async () => {
    const { asked, called, result: end } = await play([answer([call("a")])], { maxSteps: 2 });
    expect(asked).toHaveLength(2);
    expect(called).toEqual(["a", "a"]);
    expect(end).toMatchObject({ status: "completed", metadata: null });
    expect(end.output.at(-1)?.type).toBe("function_call_output");
  });

  test.each([
    ["nothing", [], "empty_output"],
    ["reasoning alone", [{ type: "reasoning", id: "r", summary: [] }], "incomplete_reasoning"],
    ["hosted items alone", [{ type: "web_search_call", id: "w" }], "incomplete_reasoning"],
    ["a message of somebody else", [{ type: "message", role: "user", content: "?" }], "incomplete_reasoning"],
  ])("an answer of %s ends it, marked", async (_name, output, reason) => {
    const { asked, result: end } = await play([answer(output, { metadata: { a: "b" } })]);
    expect(asked).toHaveLength(1);
    expect(end.status).toBe("incomplete");
    expect(end.metadata).toEqual({ a: "b", ng_termination_reason: reason, ng_termination_message: expect.any(String) });
  });

  test("usage of an answer that reports none adds nothing", async () => {
    expect((await play([answer([call("a")], { usage: null }), answer([message("x")])])).result.usage).toEqual(usage(1));
    expect((await play([answer([message("x")], { usage: null })])).result.usage).toBeNull();
  });

  test("with execute_tools off the calls stay open", async () => {
    const { called, result: end } = await play([answer([call("a")])], { executeTools: false });
    expect(called).toEqual([]);
    expect(end.output).toEqual([call("a")]);
  });
});
