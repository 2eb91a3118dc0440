/** Large arrays as bytes: they cross a hop without a look at their numbers, and reach no file unchecked. */
import { describe, expect, test } from "vitest";
import { createServerClient, type Endpoint } from "../../src/http/index.ts";
import {
  ENGINE_RAW_KEYS,
  isRaw,
  JSON_DEPTH_LIMIT,
  jsonBody,
  jsonParts,
  parseJson,
  parseJsonBytes,
  RAW_KEYS,
  type RawJson,
  rawToArray,
  stringifyJson,
  stringifyStrict,
} from "../../src/json/index.ts";
import { listen } from "../../src/servers/listener.ts";

const numbers = (spelling = "1.50"): string => `[${Array.from({ length: 300 }, () => spelling).join(", ")}]`;
const parseChecked = (text: string): unknown => parseJsonBytes(Buffer.from(text), { checked: true });

describe("bytes of a server that has checked them", () => {
  test.each(RAW_KEYS)("%s comes back byte by byte, wherever it stands", (key) => {
    for (const text of [
      `{"${key}":${numbers()}}`,
      `{"a":"ž","${key}":${numbers()},"b":[{"${key}":${numbers("-2e-7")}}]}`,
      `[{"${key}":${numbers()},"${key}x":1},{"x":{"${key}":[[${numbers()}],[[1]]]}}]`,
    ]) {
      const value = parseChecked(text);
      expect(stringifyJson(value)).toBe(text);
      expect(Buffer.from(jsonBody(value)).toString()).toBe(text);
      expect(Array.isArray(jsonParts(value))).toBe(true);
    }
  });

  test("its own key decides: blanks are no obstacle, what follows is seen", () => {
    const value = parseChecked(`{ "routed_experts" :\n ${numbers()} , "n" : 1 }`) as { routed_experts: RawJson; n: number };
    expect([value.routed_experts.bytes.toString(), value.n]).toEqual([numbers(), 1]);
  });

  test.each([
    ["null among numbers", `[${"1,".repeat(300)}null]`],
    ["a word", `[${"true,".repeat(300)}false]`],
    ["texts", JSON.stringify(Array.from({ length: 300 }, () => "a]"))],
    ["objects", JSON.stringify(Array.from({ length: 300 }, () => ({ a: [1] })))],
    ["objects behind numbers", `[${"1,".repeat(300)}{"a":[1]}]`],
    ["a text", JSON.stringify("[1]".repeat(300))],
    ["nothing", "[]"],
  ])("%s is parsed", (_, array) => {
    const text = `{"generation_log_probs":${array},"next":[1]}`;
    expect(parseChecked(text)).toStrictEqual(JSON.parse(text));
    expect(parseChecked(text)).toStrictEqual(parseJson(text));
  });

  test("what is malformed after all crosses the hop, and is refused where it is read or written to a file", () => {
    for (const wrong of ["1,,2", "1 2", "01", "-", "1]]"]) {
      const text = `{"prompt_token_ids":[${"1,".repeat(300)}${wrong}],"a":1}`;
      const value = parseChecked(text) as { prompt_token_ids: unknown };
      expect(Buffer.from(jsonBody(value)).toString()).toBe(text);
      for (const use of [
        () => stringifyJson(value),
        () => stringifyStrict(value),
        () => rawToArray(value.prompt_token_ids),
        () => JSON.stringify(value),
      ])
        expect(use).toThrow(expect.objectContaining({ code: "NG_ERR_DATA" }));
    }
  });

  test.each([
    '{"prompt_token_ids":',
    '{"prompt_token_ids":[',
    `{"prompt_token_ids":[${"1,".repeat(300)}`,
    `{"prompt_token_ids":${numbers()}`,
    `{"prompt_token_ids":${numbers()},,}`,
  ])("a text that is cut or wrong elsewhere is refused", (text) => {
    expect(() => parseChecked(text)).toThrow(SyntaxError);
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  test("a hundred thousand short arrays under one key take no time of their own", () => {
    const text = `[${Array.from({ length: 100_000 }, () => '{"prompt_token_ids":[1],"routed_experts":[2]}').join(",")}]`;
    expect(parseChecked(text)).toStrictEqual(JSON.parse(text));
  });
});

test("an engine's own names stay raw for who asks for them", () => {
  const text = `{"choices":[{"token_ids":${numbers("7")},"logprobs":{"token_logprobs":${numbers()}}}]}`;
  expect(parseJson(text)).toStrictEqual(JSON.parse(text));
  const value = parseJsonBytes(Buffer.from(text), { keys: ENGINE_RAW_KEYS }) as { choices: [{ token_ids: unknown }] };
  expect(isRaw(value.choices[0].token_ids)).toBe(true);
  expect(stringifyJson(value)).toBe(text);
});

describe("nesting", () => {
  const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

  test("up to the limit is read, beyond it refused with its position", () => {
    expect(stringifyJson(parseJson(nested(JSON_DEPTH_LIMIT)))).toBe(nested(JSON_DEPTH_LIMIT));
    expect(() => parseJson(nested(JSON_DEPTH_LIMIT + 1))).toThrow(/position 1000$/);
    expect(() => parseJson(`{"prompt_token_ids":${numbers()},"a":${nested(5_000)}}`)).toThrow(SyntaxError);
  });

  test("many arrays side by side, and brackets in texts, are not deep", () => {
    const text = JSON.stringify([...Array.from({ length: 3_000 }, () => [{}]), '"[{\\'.repeat(2_000)]);
    expect(stringifyJson(parseJson(text))).toBe(text);
  });

  test("a value made by a program that is too deep to be written is an error with a code", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    for (const write of [stringifyJson, jsonBody]) expect(() => write(deep)).toThrow(expect.objectContaining({ code: "NG_ERR_DATA" }));
  });
});

test("an answer of 65,536 tokens through three servers is the same to the byte, and so is its way back in a request", async () => {
  const ids = `[${Array.from({ length: 65_536 }, (_, n) => (n * 7) % 128_256).join(",")}]`;
  const routed = `[${Array.from({ length: 20_000 }, (_, n) => `[[${n % 8}, 1],[2,3]]`).join(",")}]`;
  const text = `{"text":"ž","generation_token_ids":${ids},"generation_log_probs":${numbers("-0.10")},"routed_experts":${routed}}`;
  let next: Endpoint = { handle: async ({ body }) => ({ status: 200, body: body ?? parseJson(text) }) };
  await using closing = new AsyncDisposableStack();
  for (let hop = 0; hop < 3; hop++) {
    const listener = await listen(next, { host: "127.0.0.1", port: 0 });
    const client = createServerClient({ addressOf: () => ({ url: `http://127.0.0.1:${listener.port}`, h2c: hop !== 1 }) });
    closing.defer(async () => {
      await client[Symbol.asyncDispose]();
      await listener.close(0);
    });
    next = {
      handle: async ({ body }) => ({ status: 200, body: (await client.call("next", { kind: "model", path: "/x", body })).json() }),
    };
  }
  for (const body of [undefined, parseJson(text)]) {
    const reply = await next.handle({ method: "POST", path: "/x", headers: {}, body, signal: new AbortController().signal });
    expect(stringifyJson(reply.body) === text).toBe(true);
  }
});
