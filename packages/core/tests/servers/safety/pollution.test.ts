/** `__proto__`, `constructor` and `prototype` are names like others: no object that was not meant ever changes. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { loadConfig } from "../../../src/config/index.ts";
import { CookieJar, parseCookieHeader, TextBody } from "../../../src/http/index.ts";
import { parseJson, stringifyJson, stringifyStrict } from "../../../src/json/index.ts";
import { openServer, RESPONSE } from "./open-server.ts";

const POISON = '"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"prototype":{"polluted":1}';
const JSON_TYPE = { "content-type": "application/json" };

afterEach(() => {
  for (const one of [{}, [], () => {}, "", Object, Array]) expect((one as { polluted?: unknown }).polluted).toBeUndefined();
  expect([Object.keys(Object.prototype), Object.keys(Array.prototype), Object.keys(Function.prototype)]).toEqual([[], [], []]);
});

test("a body comes back as it was sent", async () => {
  await using server = await openServer();
  const text = `{${POISON},"a":[{${POISON}}]}`;
  expect((await server.ask("/echo", new TextBody(text), JSON_TYPE)).text()).toBe(text);
  const refusal = await server.ask("/refuse", new TextBody(text), JSON_TYPE);
  expect([refusal.status, refusal.text()]).toEqual([400, `{"detail":${text}}`]);
});

test("a field that only a prototype has is missing, and one beside the fields is no field", async () => {
  await using server = await openServer();
  const verify = (more: string) =>
    server.ask(
      "/verify",
      new TextBody(`{"responses_create_params":{"input":"x"},"response":${JSON.stringify(RESPONSE)},${more}}`),
      JSON_TYPE,
    );
  expect((await verify('"__proto__":{"n":1}')).status).toBe(422);
  expect((await verify(`"n":1,${POISON},"constructor":{"prototype":{"reward":9}}`)).json()).toMatchObject({ reward: 1 });
});

test("large arrays beside such names", () => {
  const ids = `[${"7,".repeat(1_000)}7]`;
  const text = `{"__proto__":{"prompt_token_ids":${ids},"polluted":1},"prompt_token_ids":${ids}}`;
  expect(stringifyJson(parseJson(text))).toBe(text);
  expect(stringifyStrict(parseJson(text))).toBe(text);
});

test("cookies", () => {
  expect([...parseCookieHeader("__proto__=a; constructor=b; toString=c")]).toEqual([
    ["__proto__", "a"],
    ["constructor", "b"],
    ["toString", "c"],
  ]);
  const jar = CookieJar.fromHeader("__proto__=a");
  jar.take(["constructor=polluted; path=/", "__proto__=polluted"]);
  expect(jar.header()).toBe("__proto__=polluted; constructor=polluted");
});

describe("a configuration", () => {
  async function loaded(yaml: string, argv: string[] = []) {
    const folder = await mkdtemp(join(tmpdir(), "ng-pollution-"));
    try {
      await writeFile(join(folder, "a.yaml"), yaml);
      return await loadConfig({ cwd: folder, env: {}, argv: ["+config_paths=[a.yaml]", ...argv], noModel: true, allowUnknown: true });
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  test("of a file", async () => {
    const { raw } = await loaded("__proto__: {polluted: 1}\nx-a: {__proto__: {polluted: 1}, constructor: {prototype: {polluted: 1}}}\n");
    expect(Object.hasOwn(raw, "__proto__")).toBe(true);
    expect(JSON.stringify(raw["x-a"])).toBe('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');
  });

  test("of anchors and merges", async () => {
    const { raw } = await loaded("x-a: &a {__proto__: {polluted: 1}}\nx-b: {<<: *a}\n");
    expect(JSON.stringify(raw["x-b"])).toBe('{"__proto__":{"polluted":1}}');
  });

  test.each([
    "+__proto__.polluted=1",
    "++constructor.prototype.polluted=1",
    "++x-a.__proto__.polluted=1",
    "++x-a.constructor.prototype.polluted=1",
  ])("of an override: %s", async (word) => {
    const { raw } = await loaded("x-a: {b: 1}\n", [word]);
    expect(JSON.stringify(raw)).toContain('"polluted":1');
  });

  test.each(["x-a: ${__proto__.polluted}", "x-a: ${constructor.name}", "x-a: {_inherit_from: __proto__}", "x-a: {_copy: constructor}"])(
    "that refers to one: %s",
    async (yaml) => {
      await expect(loaded(yaml)).rejects.toThrow(/not in the configuration/);
    },
  );
});
