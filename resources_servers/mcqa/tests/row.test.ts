import { expect, test } from "vitest";
import { mcqaRow, mcqaRowProblems } from "../row.ts";

const good = { options: [{ A: "oak" }, { B: "pine" }], expected_answer: "B" };
const problemsOf = (row: object): string[] => mcqaRowProblems(mcqaRow.parse({ ...good, ...row }));

test("a good row has no problems", () => {
  expect(problemsOf({})).toEqual([]);
  expect(problemsOf({ expected_answer: " b ", template_metadata: { output_regex: ["(?:is )(\\w)", "("] } })).toEqual([]);
  expect(problemsOf({ options: undefined, template_metadata: { output_regex: "is (\\w)" } })).toEqual([]);
});

test("every problem is named with its place", () => {
  expect(problemsOf({ options: [{ A: "oak" }, { B: null }], expected_answer: "C", template_metadata: { output_regex: "(a)(b)" } })).toEqual(
    [
      "options[1].B: expected a text, got null",
      'expected_answer: expected the letter of an option, got "C"',
      'template_metadata.output_regex: expected at most one group, got 2 in "(a)(b)"',
    ],
  );
  expect(problemsOf({ expected_answer: " " })).toEqual(["expected_answer: expected the letter of an option, got nothing"]);
});

test("what is no row at all does not parse", () => {
  for (const row of [
    { options: [{ A: 1 }] },
    { grading_mode: null },
    { grading_mode: "lenient_answer_colon_md" },
    { template_metadata: { output_regex: null } },
  ]) {
    expect(mcqaRow.safeParse({ ...good, ...row }).success, JSON.stringify(row)).toBe(false);
  }
});
