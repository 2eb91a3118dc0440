import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { mcqaRow, mcqaRowProblems } from "../row.ts";

interface DataRow {
  responses_create_params: { input: { role: string; content: string }[] };
  options: Record<string, string>[];
  expected_answer: string;
  uuid: string;
  task_source: string;
}

function rowsOf(file: string): DataRow[] {
  const text = readFileSync(new URL(`../data/${file}`, import.meta.url), "utf8");
  expect(text.endsWith("\n")).toBe(true);
  return text
    .slice(0, -1)
    .split("\n")
    .map((line) => JSON.parse(line));
}

describe.each([
  ["example.jsonl", 5],
  ["quickstart.jsonl", 40],
])("%s", (file, count) => {
  test("has its rows, each gradable, shown to the model as it is graded, and routed", () => {
    const rows = rowsOf(file);
    expect(rows).toHaveLength(count);
    expect(new Set(rows.map((row) => row.uuid)).size).toBe(count);
    for (const row of rows) {
      expect(mcqaRowProblems(mcqaRow.parse(row)), row.uuid).toEqual([]);
      expect(row.task_source).toBe("mcqa");
      const prompt = row.responses_create_params.input.at(-1)?.content ?? "";
      for (const option of row.options)
        for (const [letter, text] of Object.entries(option)) expect(prompt).toContain(`\n${letter}) ${text}`);
    }
  });
});

test("the right letters of the quick start are spread evenly, and no question stands there twice", () => {
  const rows = rowsOf("quickstart.jsonl");
  for (const letter of "ABCD") expect(rows.filter((row) => row.expected_answer === letter)).toHaveLength(10);
  expect(new Set(rows.map((row) => row.responses_create_params.input[1]?.content)).size).toBe(40);
});
