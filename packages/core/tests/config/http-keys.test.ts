/** Bounds of the HTTP client are checked when a configuration is loaded. */
import { expect, test } from "vitest";
import { HTTP_LIMIT_KEYS, HTTP_RETRY_KEYS, type Problem } from "../../src/config/index.ts";
import { load, refusal } from "./playground.ts";

const KEYS = { ...HTTP_LIMIT_KEYS, ...HTTP_RETRY_KEYS };
const problems = (error: { details: Record<string, unknown> }): Problem[] => error.details.problems as Problem[];

test("a number below the least of its key is a problem at its place", async () => {
  const keys = Object.entries(KEYS);
  const found = problems(await refusal(keys.map(([name, { least }]) => `${name}: ${least - 1}\n`).join("")));
  expect(found.map(({ key, line }) => [key, line])).toEqual(keys.map(([name], at) => [name, at + 1]));
});

test("the least of each key is taken, as a number and as a text", async () => {
  const config = await load(
    Object.entries(KEYS)
      .map(([name, { least }], at) => `${name}: ${at % 2 === 0 ? least : `'${least}'`}\n`)
      .join(""),
  );
  expect(config.get("http_max_connections_per_origin")).toBe(1);
});

test("the reference's caps may be 0, not less", async () => {
  await load("global_aiohttp_connector_limit: 0\nglobal_aiohttp_connector_limit_per_host: 0\n");
  const found = problems(await refusal("global_aiohttp_connector_limit: -1\nglobal_aiohttp_connector_limit_per_host: -1\n"));
  expect(found).toHaveLength(2);
});

test("a slip in a name is told with the name that was meant", async () => {
  const [problem] = problems(await refusal("http_model_timeout_m: 5\n"));
  expect(problem?.suggestion).toContain("http_model_timeout_ms");
});
