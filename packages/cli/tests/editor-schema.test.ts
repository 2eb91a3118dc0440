/** The editor's schema takes every configuration of the repository and refuses what is misspelt in one. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseConfigYaml } from "@ng-gym/core/config";
import { readGolden } from "@ng-gym/testing";
import { Ajv } from "ajv";
import { beforeAll, describe, expect, test } from "vitest";
import { ROOT, run } from "./run-command.ts";

let refusals: (yaml: string) => string[];

beforeAll(async () => {
  const { exitCode, stdout } = await run(["ng-validate", "--json-schema"], { cwd: ROOT });
  expect(exitCode).toBe(0);
  const validate = new Ajv({ strict: false, allErrors: true }).compile(JSON.parse(stdout));
  refusals = (yaml) =>
    validate(parseConfigYaml(yaml)) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
});

const FILES = globSync("{resources_servers,responses_api_*,environment_servers,benchmarks,environments}/**/*.yaml", {
  cwd: ROOT,
  exclude: ["**/node_modules/**"],
});

test("there are files", () => expect(FILES.length).toBeGreaterThan(4));

test.each(FILES)("%s", (file) => {
  expect(refusals(readFileSync(join(ROOT, file), "utf8"))).toEqual([]);
});

test.each(FILES)("%s with any one key of a block misspelt", (file) => {
  const text = readFileSync(join(ROOT, file), "utf8");
  const keys = [...text.matchAll(/^ {6}([a-z_]{4,}):/gm)];
  expect(keys.length).toBeGreaterThan(0);
  for (const key of keys) {
    const at = key.index + 6;
    expect(refusals(`${text.slice(0, at)}${key[1]}z${text.slice(at + (key[1] as string).length)}`), key[1]).not.toEqual([]);
  }
});

const model = (block: string): string => `m: {responses_api_models: {${block}}}\n`;

describe("refused", () => {
  test.each([
    ["a misspelt top-level key", "dry_runn: true\n"],
    ["letters that changed places", "polciy_base_url: x\n"],
    ["a parameter of a command", "num_repeat: 4\n"],
    ["a flag that is a mapping", "dry_run: {a: 1}\n"],
    ["a word that is none of the choices", "hosting: threads\n"],
    ["a misspelt server type", "m: {response_api_models: {x: {entrypoint: app.py}}}\n"],
    ["a misspelt key of a server of somebody else", model("mine: {entrypoitn: app.py}")],
    ["a setting of the wrong kind", model("simulated_model: {entrypoint: app.ts, skill: high}")],
    ["an unknown domain", "r: {resources_servers: {mcqa: {entrypoint: app.ts, domain: maths}}}\n"],
    [
      "an unknown license",
      "r: {resources_servers: {x: {entrypoint: a.py, datasets: [{name: a, type: train, jsonl_fpath: a, license: mit}]}}}\n",
    ],
  ])("%s", (_what, yaml) => expect(refusals(yaml)).not.toEqual([]));
});

describe("taken", () => {
  test.each([
    ["nothing", ""],
    ["variables and mappings of one's own", "my_judge: x\nlist: [1, 2]\nnested: {a: {b: 1}}\npolicy_api_keys: {a: 1}\n"],
    [
      "interpolations and unset values for anything",
      `dry_run: "\${x}"\n${model(`simulated_model: {skill: "\${x}", seed: '???', fail_status: "\${oc.env:S,500}"}`)}`,
    ],
    ["parts of a block", model("simulated_model: {skill: 0.5}")],
    [
      "directives",
      `${model("simulated_model: {_inherit_from: a.b, skill: 0.5}")}b: {_copy: m}\nc: {responses_api_agents: {_delete_key: x}}\n`,
    ],
    ["keys marked as one's own", model("openai_model: {x-note: 1}")],
    ["any setting of a server of somebody else", model("mine: {entrypoint: app.py, whatever: [1], port: 12001}")],
  ])("%s", (_what, yaml) => expect(refusals(yaml)).toEqual([]));
});

test("configurations that the reference takes", () => {
  const files = readGolden("config/cli.jsonl").flatMap(({ id, input, expected }) =>
    expected.exit_code === 0 && String(id).startsWith("validate") ? Object.values<string>(input.files ?? {}) : [],
  );
  expect(files.length).toBeGreaterThan(1);
  for (const text of files) expect(refusals(text), text).toEqual([]);
});
