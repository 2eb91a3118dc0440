import { describe, expect, test } from "vitest";
import { questionKey } from "../answer-key.ts";
import { chatQuestion, responsesQuestion } from "../question.ts";
import { drawsFor } from "../repeat.ts";
import { type Mind, type Reply, think } from "../think.ts";

const QUESTION = "Which gas do plants take in?\nA) neon\nB) carbon dioxide\nC) argon\nAnswer in \\boxed{}.";
const KNOWS = new Map([[questionKey(QUESTION), "B"]]);
const WEATHER = { type: "function", name: "get_weather", parameters: { type: "object", properties: { city: { type: "string" } } } };

function ask(request: Record<string, unknown>, options: Partial<Mind> & { seed?: number; rolloutId?: string } = {}): Reply {
  const question = responsesQuestion(request);
  const { all, question: asked } = question.conversation;
  const draws = drawsFor({ seed: options.seed ?? 0, question: asked, conversation: all, rolloutId: options.rolloutId, request });
  return think(question, { skill: options.skill ?? 1, toolRounds: options.toolRounds ?? 1, answerKey: options.answerKey ?? KNOWS }, draws);
}

function letter(reply: Reply): string | undefined {
  return reply.kind === "text" ? /\\boxed\{(\w)\}/.exec(reply.text)?.[1] : undefined;
}

const repeats = (n: number, options: Parameters<typeof ask>[1]): (string | undefined)[] =>
  Array.from({ length: n }, (_, i) => letter(ask({ input: QUESTION }, { ...options, rolloutId: `0-${i}` })));

describe("multiple choice", () => {
  test("skill 1 is always right, skill 0 never", () => {
    expect(new Set(repeats(50, { skill: 1 }))).toEqual(new Set(["B"]));
    expect(repeats(50, { skill: 0 })).not.toContain("B");
  });

  test("over questions the share of right answers is the skill", () => {
    let right = 0;
    for (let i = 0; i < 2_000; i++) {
      const question = `Number ${i}?\nA) yes\nB) no\nC) perhaps`;
      right += letter(ask({ input: question }, { skill: 0.3, answerKey: new Map([[questionKey(question), "C"]]) })) === "C" ? 1 : 0;
    }
    expect(right / 2_000).toBeGreaterThan(0.26);
    expect(right / 2_000).toBeLessThan(0.34);
  });

  test("an unknown question is guessed among the options offered", () => {
    expect(new Set(repeats(100, { answerKey: new Map() }))).toEqual(new Set(["A", "B", "C"]));
  });

  test("repeats differ, and each is the same on every run", () => {
    const once = repeats(40, { skill: 0.5 });
    expect(once).toEqual(repeats(40, { skill: 0.5 }));
    expect(new Set(once).size).toBeGreaterThan(1);
  });

  test("the seed changes answers; the attempt does not", () => {
    expect(repeats(40, { skill: 0.5, seed: 1 })).not.toEqual(repeats(40, { skill: 0.5, seed: 2 }));
    const attempts = ["7-1", "7-1-a1", "7-1-a2"].map((rolloutId) => ask({ input: QUESTION }, { skill: 0.5, rolloutId }));
    expect(attempts[1]).toEqual(attempts[0]);
    expect(attempts[2]).toEqual(attempts[0]);
  });

  test("a seed in metadata.extra_body tells repeats apart too", () => {
    const answers = Array.from({ length: 40 }, (_, i) =>
      letter(ask({ input: QUESTION, metadata: { extra_body: JSON.stringify({ seed: i }) } }, { skill: 0.5 })),
    );
    expect(new Set(answers).size).toBeGreaterThan(1);
  });
});

describe("tools", () => {
  const request = { input: "How is the weather in Bergen?", tools: [WEATHER] };
  const called = [
    { role: "user", content: request.input },
    { type: "function_call", call_id: "c", name: "get_weather", arguments: "{}" },
    { type: "function_call_output", call_id: "c", output: "It is cold." },
  ];

  test("one call with arguments that fit, then an answer", () => {
    expect(ask(request)).toEqual({ kind: "call", name: "get_weather", arguments: '{"city":"Bergen"}' });
    expect(ask({ ...request, input: called })).toEqual({ kind: "text", text: "The tool says: It is cold." });
  });

  test("as many rounds as configured", () => {
    expect(ask({ ...request, input: called }, { toolRounds: 2 }).kind).toBe("call");
    expect(ask(request, { toolRounds: 0 }).kind).toBe("text");
  });

  test("parallel calls are one round", () => {
    const input = [called[0], called[1], called[1], called[2], called[2]];
    expect(ask({ ...request, input }, { toolRounds: 2 }).kind).toBe("call");
    expect(ask({ ...request, input }, { toolRounds: 1 }).kind).toBe("text");
  });

  test("tool_choice is obeyed", () => {
    expect(ask({ ...request, tool_choice: "none" }).kind).toBe("text");
    const other = { ...WEATHER, name: "get_tide" };
    const chosen = ask({ ...request, tools: [WEATHER, other], tool_choice: { type: "function", name: "get_tide" } });
    expect(chosen).toMatchObject({ name: "get_tide" });
  });

  test("chat tools and chat turns are read alike", () => {
    const messages = [{ role: "user", content: [{ type: "text", text: "Weather in Bergen?" }] }];
    const question = chatQuestion({ messages, tools: [{ type: "function", function: WEATHER }] });
    expect(question.tools).toEqual([{ name: "get_weather", parameters: WEATHER.parameters }]);
    expect(question.conversation.question).toBe("Weather in Bergen?");
    const after = [
      ...messages,
      { role: "assistant", content: null, tool_calls: [{ id: "c" }] },
      { role: "tool", tool_call_id: "c", content: "cold" },
    ];
    expect(chatQuestion({ messages: after }).conversation).toMatchObject({ toolRounds: 1, toolOutputs: ["cold"] });
  });
});

test("structured output fits its schema", () => {
  const schema = { type: "object", properties: { gas: { enum: ["neon"] } } };
  const reply = ask({ input: QUESTION, text: { format: { type: "json_schema", name: "x", schema } } });
  expect(reply).toEqual({ kind: "text", text: '{"gas":"neon"}' });
});
