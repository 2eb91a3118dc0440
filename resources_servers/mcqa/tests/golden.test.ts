import { describeGolden, type GoldenCase, readGolden } from "@ng-gym/testing";
import { expect, test } from "vitest";
import { mcqaRow } from "../row.ts";
import { gradeMcqa } from "../verify.ts";

/** A text of a golden: as it is, n times the same, or parts in a row. */
function grown(recipe: unknown): string {
  if (typeof recipe === "string") return recipe;
  const { repeat, concat } = recipe as { repeat?: [string, number]; concat?: unknown[] };
  return repeat !== undefined ? repeat[0].repeat(repeat[1]) : (concat ?? []).map(grown).join("");
}

/** All output texts of the message items in a row. */
function outputText(items: { type: string; content?: { type: string; text?: string }[] }[]): string {
  const parts = items.filter((item) => item.type === "message").flatMap((item) => item.content ?? []);
  return parts.map((part) => (part.type === "output_text" ? (part.text ?? "") : "")).join("");
}

function gradeOf({ input }: GoldenCase) {
  const row = mcqaRow.parse(input.row);
  const text = input.output === undefined ? grown(input.text) : outputText(input.output);
  return { grade: gradeMcqa(row, text, input.config ?? {}), sentAnswer: row.expected_answer ?? "" };
}

const FILE = "verifiers1/mcqa.jsonl";
const THINKING = "decisions.md, text to grade: think blocks are removed before parsing";
const exceptions = { "strict-think-in-text": THINKING, "strict-think-orphan": THINKING };

describeGolden(FILE, {
  exceptions,
  check: (golden) => {
    const { expected } = golden;
    if (expected.status !== 200) return expect(() => gradeOf(golden)).toThrow();
    const { grade, sentAnswer } = gradeOf(golden);
    expect(grade).toEqual({
      reward: expected.reward,
      extracted_answer: expected.extracted_answer,
      expected_answer: expected.expected_answer ?? sentAnswer,
    });
  },
});

test("where the golden says what is ours, we give that", () => {
  const decided = readGolden(FILE).filter((golden) => golden.expected.ours !== undefined);
  expect(decided.map((golden) => golden.id)).toEqual(Object.keys(exceptions));
  for (const golden of decided) expect(gradeOf(golden).grade, golden.id).toMatchObject(golden.expected.ours);
});
