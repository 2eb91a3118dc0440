import { describe, expect, test } from "vitest";
import { MAX_RESTARTS, restartsOf } from "../../../src/config/index.ts";
import { load, refusal } from "../../config/playground.ts";

describe("restart", () => {
  test.each([
    [undefined, 0],
    [null, 0],
    ["never", 0],
    [{ on_failure: 3 }, 3],
    ["on_failure(3)", 3],
    ["on_failure( 12 )", 12],
    [{ on_failure: MAX_RESTARTS }, MAX_RESTARTS],
  ])("%j", (value, times) => {
    expect(restartsOf(value)).toBe(times);
  });

  test.each([
    "always",
    "on_failure",
    "on_failure(0)",
    "on_failure(-1)",
    "on_failure(1e3)",
    3,
    true,
    [],
    {},
    { on_failure: "3" },
    { on_failure: 1001 },
  ])("not %j", (value) => {
    expect(() => restartsOf(value)).toThrow(/^restart must be never, or \{on_failure: N\} with N from 1 to 1000, not /);
  });

  const config = (policy: string): string =>
    `s:\n  resources_servers:\n    x:\n      entrypoint: app.py\n      domain: other\n      restart: ${policy}\n`;

  test("a wrong one is an error of the configuration with its place", async () => {
    const error = await refusal(config("sometimes"));
    expect(error.message).toMatch(/'s\.resources_servers\.x\.restart' must be never, or \{on_failure: N\} with N from 1 to 1000\./);
    expect(error.message).toContain("c.yaml:6:");
  });

  test("an interpolated one is resolved first", async () => {
    const loaded = await load(`${config(`${"$"}{how}`)}how: on_failure(2)\n`);
    expect(restartsOf(loaded.servers[0]?.block.restart)).toBe(2);
  });
});
