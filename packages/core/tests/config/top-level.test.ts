/** The table of top-level keys: what it says of types and defaults is what a load does. */
import { expect, test } from "vitest";
import { type Problem, RESERVED_KEYS, TOP_LEVEL_KEYS, topLevelKeys } from "../../src/config/index.ts";
import { load, refusal } from "./playground.ts";

const problems = (error: { details: Record<string, unknown> }): Problem[] => error.details.problems as Problem[];

test("defaults that are written are those of the table", async () => {
  const config = await load("a: 1\n");
  for (const [name, key] of topLevelKeys()) if (key.written === true) expect(config.get(name), name).toBe(key.default);
});

/** A value that no key of the type takes. */
const WRONG: Record<string, string> = {
  flag: "{a: 1}",
  integer: "many",
  number: "soon",
  text: "{a: 1}",
  path: "{a: 1}",
  names: "{a: 1}",
  list: "x",
  map: "x",
};

/** Their own checks say what is wrong, or nothing, because they are always written anew. */
const CHECKED_ELSEWHERE = new Set(["config_paths", "_inherit_from", "_copy", "head_server"]);

test("a value of another kind is a problem at its place, all at once", async () => {
  const keys = topLevelKeys().filter(([name]) => !CHECKED_ELSEWHERE.has(name));
  const found = problems(await refusal(keys.map(([name, { type }]) => `${name}: ${WRONG[type]}\n`).join("")));
  for (const [index, [name]] of keys.entries()) {
    const own = found.filter((problem) => problem.key === name);
    expect(own, name).toHaveLength(1);
    expect(own[0]).toMatchObject({ line: index + 1, got: expect.any(String) });
  }
});

test("numeric texts, null, unset switches and interpolations pass", async () => {
  const text =
    "server_spinup_timeout_seconds: '30'\nmodel_endpoint_readiness_timeout_seconds: null\nverbose: 1\nx: 7\nskip_verification_reward: ${x}\n";
  const config = await load(text);
  expect(config.get("skip_verification_reward")).toBe(7);
});

test("a choice that is none has a suggestion", async () => {
  const [problem] = problems(await refusal("hosting: proces\n"));
  expect(problem).toMatchObject({ key: "hosting", line: 1, column: 10, suggestion: "Did you mean 'process'?" });
  expect(problem?.message).toContain("shared or process");
});

test("a server under a reserved name is not started, and a notice says so", async () => {
  const config = await load("query: {responses_api_models: {x: {entrypoint: app.py}}}\n");
  expect(config.servers).toEqual([]);
  expect(config.notices.join()).toContain("'query' is a reserved name");
});

test("the names that are reserved are those of the reference", () => {
  expect(RESERVED_KEYS.size).toBe(41);
  for (const name of ["policy_base_url", "hosting", "include_precedence"]) expect(RESERVED_KEYS.has(name), name).toBe(false);
  expect(Object.keys(TOP_LEVEL_KEYS)).toEqual(expect.arrayContaining([...RESERVED_KEYS]));
});
