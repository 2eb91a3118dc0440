import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ERROR_CODES, GymError, isGymError, messageOf } from "../../src/errors/index.ts";

const page = readFileSync(new URL("../../../../docs/errors.md", import.meta.url), "utf8");

test("docs/errors.md shows exactly the table of codes", () => {
  const rows = [...page.matchAll(/^\| `(NG_ERR_\w+)` *\| (.+?) *\| (\d+) *\|$/gm)].map(([, code, summary, exitCode]) => [
    code,
    summary,
    Number(exitCode),
  ]);
  expect(rows).toEqual(Object.entries(ERROR_CODES).map(([code, { summary, exitCode }]) => [code, summary, exitCode]));
});

test("docs/errors.md lists the exit codes", () => {
  const exits = [...page.matchAll(/^\| (\d+) *\| /gm)].map(([, code]) => Number(code));
  expect(exits).toEqual([0, 1, 2, 3, 130]);
  for (const { exitCode } of Object.values(ERROR_CODES)) expect(exits).toContain(exitCode);
});

test("a message holds no control characters and the cause is kept", () => {
  const cause = new Error("inner");
  const error = new GymError("NG_ERR_TIMEOUT", "a\u001b[2Jb\nc", { hint: "do\u0007 this", cause });
  expect(error.message).toBe("a\\u001b[2Jb\nc");
  expect(error.hint).toBe("do\\u0007 this");
  expect(error).toMatchObject({ code: "NG_ERR_TIMEOUT", exitCode: 1, cause });
  expect([isGymError(error), isGymError(error, "NG_ERR_USAGE"), isGymError(cause)]).toEqual([true, false, false]);
  expect([messageOf(cause), messageOf("text")]).toEqual(["inner", "text"]);
});
