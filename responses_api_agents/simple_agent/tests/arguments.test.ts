import { stringifyJson } from "@ng-gym/core/protocol";
import { describe, expect, test } from "vitest";
import { MAX_ARGUMENT_DEPTH, readArguments } from "../arguments.ts";

/** What goes over a socket. */
function sent(text: string): string {
  const args = readArguments(text);
  if (!args.ok) throw new Error(args.reason);
  return stringifyJson(args.value);
}

describe("arguments of a tool call", () => {
  test.each([
    ["an object", '{"city": "Bergen"}', '{"city":"Bergen"}'],
    ["a list", "[1,2]", "[1,2]"],
    ["a text", '"text"', '"text"'],
    ["zero", "0", "0"],
    ["false", "false", "false"],
    ["null", "null", "null"],
    ["the last of equal keys", '{"a": 1, "a": 2}', '{"a":2}'],
    ["unicode", '{"é": "日本"}', '{"é":"日本"}'],
    ["NaN", '{"a": NaN}', '{"a":null}'],
    ["infinities", '[Infinity, -Infinity, "Infinity NaN"]', '[null,null,"Infinity NaN"]'],
    ["a number beyond a double", '{"a": 1e400, "b": -1e400}', '{"a":null,"b":null}'],
    ["an escaped lone surrogate", '{"a": "\\ud800x"}', '{"a":"\ufffdx"}'],
    ["a pair of surrogates", '{"a": "\\ud83d\\ude00"}', '{"a":"😀"}'],
    ["64 bits", '{"a": 12345678901234567890}', '{"a": 12345678901234567890}'],
    ["far more", '{"a": [123456789012345678901234567890]}', '{"a": [123456789012345678901234567890]}'],
    ["a bare long integer", "123456789012345678901234567890", "123456789012345678901234567890"],
    ["a long integer that a double holds", '{"a": 9007199254740992}', '{"a":9007199254740992}'],
    ["an exponent", '{"a": 1e21, "b": 2.5E-3}', '{"a":1e+21,"b":0.0025}'],
    ["a prototype as a plain key", '{"__proto__": {"x": 1}}', '{"__proto__":{"x":1}}'],
  ])("%s", (_name, text, expected) => {
    expect(sent(text)).toBe(expected);
  });

  test("a long integer is a number for a server in this process", () => {
    expect(readArguments('{"a": 18446744073709551617}')).toMatchObject({ ok: true, value: { a: 2 ** 64 } });
  });

  test.each([[""], ['{"city": "Ber'], ["{'a': 1}"], ["nan"], ["{} {}"], ["{NaN: 1}"]])("no JSON: %j", (text) => {
    expect(readArguments(text).ok).toBe(false);
  });

  test("nesting has a limit, counted outside texts", () => {
    const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
    expect(readArguments(nested(MAX_ARGUMENT_DEPTH)).ok).toBe(true);
    expect(readArguments(nested(MAX_ARGUMENT_DEPTH + 1))).toMatchObject({ ok: false, reason: expect.stringContaining("nested") });
    expect(readArguments(nested(200_000)).ok).toBe(false);
    expect(readArguments(JSON.stringify("[".repeat(1_000))).ok).toBe(true);
  });
});
