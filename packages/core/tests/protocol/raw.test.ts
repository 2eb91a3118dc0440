import { describe, expect, test } from "vitest";
import {
  GymError,
  isRaw,
  parseJson,
  parseResponse,
  parseResponsesRequest,
  RAW_THRESHOLD_CHARS,
  RawJson,
  rawToArray,
  stringifyJson,
  stringifyStrict,
} from "../../src/protocol/index.ts";

/** An array text just long enough to stay raw; `number` in a spelling that a parser would not write back. */
function arrayText(number: string): string {
  return `[${Array.from({ length: RAW_THRESHOLD_CHARS }, () => number).join(",")}]`;
}

describe("parseJson and stringifyJson", () => {
  test.each(["1", "-0.10", "1e-7", "2E+05", "123456789012345678901234567890"])("a long array of %s comes back byte by byte", (number) => {
    const text = `{"a":1,"prompt_token_ids":${arrayText(number)},"b":[{"generation_log_probs":${arrayText(number)}}]}`;
    const value = parseJson(text) as { prompt_token_ids: unknown; b: { generation_log_probs: unknown }[] };
    expect(isRaw(value.prompt_token_ids)).toBe(true);
    expect(isRaw(value.b[0]?.generation_log_probs)).toBe(true);
    expect(stringifyJson(value)).toBe(text);
  });

  test("nested routing arrays and blanks stay as they are", () => {
    const cube = `[ ${Array.from({ length: 100 }, () => "[[1, 2],\n[3,4]]").join(" , ")} ]`;
    const value = parseJson(`{ "routed_experts" :\t${cube} }`) as { routed_experts: RawJson };
    expect(value.routed_experts.text).toBe(cube);
    expect(stringifyJson(value)).toBe(`{"routed_experts":${cube}}`);
  });

  test("short arrays, strings, null and other keys are plain values", () => {
    const long = JSON.parse(arrayText("7"));
    const value = { prompt_token_ids: [1, 2], generation_token_ids: null, routed_experts: "blob", other: long };
    expect(parseJson(JSON.stringify(value))).toStrictEqual(value);
  });

  test.each([
    ["inside a string", JSON.stringify({ text: `{"prompt_token_ids":${arrayText("1")}}` })],
    ["as the end of another key", `{"a\\"prompt_token_ids":${arrayText("1")}}`],
    ["as a value", `["prompt_token_ids",${arrayText("1")}]`],
    ["with other elements", `{"prompt_token_ids":[${"1,".repeat(RAW_THRESHOLD_CHARS)}null]}`],
    ["too deep", `{"routed_experts":[[[[[${"1,".repeat(RAW_THRESHOLD_CHARS)}1]]]]]}`],
  ])("the name %s changes nothing", (_, text) => {
    expect(parseJson(text)).toStrictEqual(JSON.parse(text));
  });

  test.each(["01", "1.", ".5", "+1", "1,,2", "--1", "1e", "0x1", "NaN", "[1", "1 2"])("malformed numbers are refused: %s", (number) => {
    const text = `{"prompt_token_ids":[${"1,".repeat(RAW_THRESHOLD_CHARS)}${number}]}`;
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  test("an error elsewhere in the text names its real position", () => {
    const text = `{"prompt_token_ids":${arrayText("1")},}`;
    const message = (parse: (text: string) => unknown): string => {
      try {
        return String(parse(text));
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(message(parseJson)).toBe(message(JSON.parse));
  });

  test("of a key that comes twice the last one counts", () => {
    const value = parseJson(`{"prompt_token_ids":${arrayText("1")},"prompt_token_ids":${arrayText("2")}}`) as { prompt_token_ids: RawJson };
    expect(rawToArray(value.prompt_token_ids)[0]).toBe(2);
  });

  test("a raw value is right in a plain JSON.stringify too, and after being copied", () => {
    const value = parseJson(`{"prompt_token_ids":${arrayText("1.0")}}`) as { prompt_token_ids: RawJson };
    expect(JSON.parse(JSON.stringify({ ...value }))).toEqual({ prompt_token_ids: rawToArray(value.prompt_token_ids) });
    expect(stringifyJson([value, { ...value }])).toBe(`[${stringifyJson(value)},${stringifyJson(value)}]`);
  });

  test("a writer called from within a writer does not mix up their raw texts", () => {
    const inner = { toJSON: () => stringifyJson({ routed_experts: new RawJson("[1]") }) };
    expect(stringifyJson({ a: new RawJson("[2]"), inner, b: new RawJson("[3]") })).toBe(
      '{"a":[2],"inner":"{\\"routed_experts\\":[1]}","b":[3]}',
    );
  });

  test("nothing at the top is null, and the text is compact UTF-8", () => {
    expect(stringifyJson(undefined)).toBe("null");
    expect(stringifyJson({ a: ["ž", 1.5, null] })).toBe('{"a":["ž",1.5,null]}');
  });
});

describe("raw token fields in requests and responses", () => {
  const tokens = `"prompt_token_ids":${arrayText("5")},"generation_token_ids":${arrayText("6")},"generation_log_probs":${arrayText("-0.50")}`;

  test("they pass through validation untouched", () => {
    const request = parseJson(`{"input":[{"role":"assistant","content":"x",${tokens}}]}`);
    const parsed = parseResponsesRequest(request);
    expect(parsed).toMatchObject({ ok: true });
    expect(parsed.ok && stringifyJson(parsed.value)).toContain(tokens);

    const item = `{"type":"message","id":"m","role":"assistant","status":"completed","content":[],${tokens}}`;
    const response = parseJson(
      `{"id":"r","created_at":1,"model":"m","object":"response","output":[${item}],"parallel_tool_calls":true,"tool_choice":"auto","tools":[]}`,
    );
    const answer = parseResponse(response);
    expect(answer).toMatchObject({ ok: true });
    expect(answer.ok && stringifyJson(answer.value)).toContain(tokens);
  });

  test("an incomplete bundle is refused, raw or not", () => {
    const request = parseJson(`{"input":[{"role":"assistant","content":"x","prompt_token_ids":${arrayText("5")}}]}`);
    expect(parseResponsesRequest(request)).toMatchObject({ ok: false, issues: [{ type: "value_error", loc: ["body", "input", 0] }] });
  });
});

describe("stringifyStrict", () => {
  test("writes what stringifyJson writes", () => {
    const value = { reward: 0.5, tokens: new RawJson("[1.0]"), none: null, list: [1, "a"] };
    expect(stringifyStrict(value)).toBe(stringifyJson(value));
  });

  test.each([
    [{ response: { usage: { cost: Number.NaN } } }, "response.usage.cost is NaN"],
    [{ rewards: [1, Number.NEGATIVE_INFINITY] }, "rewards[1] is -Infinity"],
    [Number.POSITIVE_INFINITY, "the value is Infinity"],
    [{ seed: 5n }, "seed is a bigint"],
  ])("refuses %o by name", (value, message) => {
    expect(() => stringifyStrict(value)).toThrow(GymError);
    expect(() => stringifyStrict(value)).toThrow(message);
  });
});
