/** The typed cases of the server: what it must reward, refuse to reward and refuse to grade. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { mcqaRow } from "../row.ts";
import { gradeMcqa } from "../verify.ts";

interface Case {
  name: string;
  kind: "full_reward" | "zero_reward" | "malformed" | "determinism";
  request: { response: { output: { content: { text: string }[] }[] } };
  expected_reward?: number;
  expected_error?: string;
}

const cases: Case[] = readFileSync(new URL("cases.jsonl", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line));

function grade({ request }: Case): number {
  const text = request.response.output.flatMap((item) => item.content.map((part) => part.text)).join("");
  return gradeMcqa(mcqaRow.parse(request), text).reward;
}

describe("cases.jsonl", () => {
  for (const item of cases) {
    test(`${item.kind}: ${item.name}`, () => {
      if (item.expected_error !== undefined) return expect(() => grade(item)).toThrow(item.expected_error);
      expect(grade(item)).toBe(item.expected_reward);
      expect(grade(item)).toBe(item.expected_reward);
    });
  }

  test("every kind occurs", () => {
    expect(new Set(cases.map((item) => item.kind))).toEqual(new Set(["full_reward", "zero_reward", "malformed", "determinism"]));
  });
});
