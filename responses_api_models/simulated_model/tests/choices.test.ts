import { describe, expect, test } from "vitest";
import { answerLine, findChoices } from "../choices.ts";

const letters = (text: string): string =>
  findChoices(text)
    .map((choice) => choice.letter)
    .join("");

describe("options in a question", () => {
  test.each([
    ["one a line", "Which tree?\nA) oak\nB) pine\nC) fir", "ABC"],
    ["in one line", "Which gas do plants take in? A) neon B) carbon dioxide. Answer in \\boxed{}.", "AB"],
    ["in brackets", "(A) oak\n(B) pine", "AB"],
    ["with points", "A. oak\nB. pine\nC. fir\nD. elm", "ABCD"],
    ["with colons", "A: oak B: pine", "AB"],
    ["a single letter is no list", "Plan A. It works.", ""],
    ["letters that skip are not on offer", "A) oak\nC) fir\nB) pine", "AB"],
    ["the last list counts", "A) x B) y\n\nNow:\nA) one\nB) two\nC) three", "ABC"],
    ["none", "How many trees?", ""],
  ])("%s", (_name, text, expected) => {
    expect(letters(text)).toBe(expected);
  });

  test("texts end at their line or sentence", () => {
    expect(findChoices("A) neon B) carbon dioxide. Answer in \\boxed{}.")).toEqual([
      { letter: "A", text: "neon" },
      { letter: "B", text: "carbon dioxide" },
    ]);
  });

  test("the answer is written as the question asks", () => {
    expect(answerLine("Put it in \\boxed{}.", "C")).toBe("\\boxed{C}");
    expect(answerLine("End with 'Answer: <letter>'.", "C")).toBe("Answer: C");
    expect(answerLine("Which one?", "C")).toBe("\\boxed{C}");
  });
});
