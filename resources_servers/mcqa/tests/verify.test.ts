import { describe, expect, test } from "vitest";
import { compilePythonRegex, withoutThinking } from "../grading/index.ts";
import type { GradingMode, McqaRow } from "../row.ts";
import { gradeMcqa } from "../verify.ts";

const row: McqaRow = { options: [{ A: "oak" }, { B: "pine" }, { C: "fir" }, { D: "larch" }], expected_answer: "B" };
const letterOf = (text: string, mode: GradingMode = "strict_single_letter_boxed", extra: McqaRow = {}): string | null =>
  gradeMcqa({ ...row, ...extra }, text, { grading_mode: mode }).extracted_answer;

describe("reasoning is not graded", () => {
  test.each([
    ["<think>a</think> b <THINKING>c</thinking> d", " b  d"],
    ["a </think> b", " b"],
    ["a <think> b", "a "],
    ["a <think>b <think> c</think> d", "a  d"],
    ["<think>a<think>b</think>c</think>d", "d"],
    ["a <thinker>b</thinker>", "a <thinker>b</thinker>"],
  ])("%s", (text, left) => {
    expect(withoutThinking(text)).toBe(left);
  });

  test("a box in a closed block does not hide the one after it", () => {
    expect(letterOf("<think>\\boxed{A}</think>\\boxed{B}")).toBe("B");
  });
});

describe("markdown answers", () => {
  const markdown = (text: string, prefix?: string): string | null =>
    letterOf(text, "lenient_answer_colon_md", prefix === undefined ? {} : { template_metadata: { answer_prefix: prefix } });

  test("compatibility letters count, a Roman numeral of two letters does not", () => {
    expect(markdown("Answer: Ⓓ")).toBe("D");
    expect(markdown("Answer： Ⅳ")).toBe(null);
  });

  test("a prefix is literal, and the later of prefix and Answer: decides", () => {
    expect(markdown("[pick]+ C\nAnswer: B", "[pick]+")).toBe("B");
    expect(markdown("Answer: B\n[PICK]+ c", "[pick]+")).toBe("C");
    expect(markdown("pickk A", "[pick]+")).toBe(null);
  });
});

describe("patterns written for Python", () => {
  test.each([
    ["(?s)x.y", "x\ny", true],
    ["x.y", "x\u2028y", true],
    ["^b$", "b\n", true],
    ["^b$", "a\nb", false],
    ["(?m)^b$", "a\nb\nc", true],
    ["\\bé\\b", "é", true],
    ["\\w", "\u0301", false],
    ["\\s", "\u001c", true],
    ["\\s", "\ufeff", false],
    ["a++a", "aaa", false],
    ["(?P<q>['\"])b(?P=q)", "'b'", true],
    ["(?x) a  b # rest", "ab", true],
    ["[]x]", "]", true],
    ["{a}", "{a}", true],
    ["\\Ab\\Z", "b", true],
  ])("%s on %j: %s", (pattern, text, found) => {
    expect([...text.matchAll(compilePythonRegex(pattern)?.regex ?? /never^/g)].length > 0).toBe(found);
  });

  test.each(["(", "*a", "a**", "(?<=a*)b", "[b-a]", "\\q", "a(?i)b", "(?P<n>a)(?P<n>b)", "\\2(a)", "a{2,1}"])(
    "%s is refused",
    (pattern) => {
      expect(compilePythonRegex(pattern)).toBeUndefined();
    },
  );

  test("several groups are an error of the row, named with its field", () => {
    expect(() => letterOf("AB", undefined, { template_metadata: { output_regex: "(A)(B)" } })).toThrow(/output_regex.*one group, got 2/);
  });
});

describe("hostile answers are read in one pass", () => {
  const long = 400_000;
  test.each<[string, string, GradingMode]>([
    ["opened boxes", "\\boxed{".repeat(long), "strict_single_letter_boxed"],
    ["wrappers", `\\boxed{${"\\text{".repeat(long)}B${"}".repeat(long)}}`, "strict_single_letter_boxed"],
    ["blanks in a box", `\\boxed{x${" ".repeat(long)}x}`, "lenient_boxed"],
    ["answers without a colon", `${"answer ".repeat(long)}`, "lenient_answer_colon"],
    ["blanks after the word", `answer${" \n".repeat(long)}x`, "lenient_answer_colon_md"],
    ["a list that never ends", `Answer: ${"A ".repeat(long)}!`, "lenient_answer_colon_md"],
    ["thinking tags", "<think>".repeat(long), "strict_single_letter_boxed"],
  ])("%s", (_name, text, mode) => {
    expect(["A", "B", null]).toContain(letterOf(text, mode));
  });
});
