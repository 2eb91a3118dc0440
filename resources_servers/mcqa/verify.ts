/**
 * Scoring of a multiple-choice answer: which letter does the text choose, and is it the right one. Functions of plain data.
 * Source: the verifier contract of the reference's mcqa server (release 0.7.0); reasoning in the text is not graded.
 */
import {
  type Choices,
  choicesOf,
  fromAnswerLine,
  fromLenientBox,
  fromMarkdownAnswer,
  fromStrictBox,
  fromTemplate,
  pyStrip,
  withoutThinking,
} from "./grading/index.ts";
import type { GradingMode, McqaRow } from "./row.ts";

export interface McqaGrade {
  /** 1 where the letter read is the expected one, else 0. */
  reward: number;
  /** Upper-case letter, or null where the text chooses none. */
  extracted_answer: string | null;
  /** The row's answer, stripped and upper-cased; "" where it has none. */
  expected_answer: string;
}

/**
 * Grades `text`, all output texts of an answer in a row. A mode in the server's config wins over the row's.
 * Throws `GymError` NG_ERR_VERIFIER for a row that cannot be graded: several groups in `output_regex`, a null text beside its own letter.
 */
export function gradeMcqa(row: McqaRow, text: string, config: { grading_mode?: GradingMode | null } = {}): McqaGrade {
  const expected = pyStrip(row.expected_answer ?? "").toUpperCase();
  const answer = pyStrip(withoutThinking(text));
  const extracted = answer === "" ? null : extract(row, answer, config.grading_mode ?? row.grading_mode ?? "strict_single_letter_boxed");
  return { reward: extracted !== null && extracted === expected ? 1 : 0, extracted_answer: extracted, expected_answer: expected };
}

function extract(row: McqaRow, answer: string, mode: GradingMode): string | null {
  const choices = choicesOf(row.options ?? []);
  for (const pattern of [row.template_metadata?.output_regex ?? []].flat()) {
    const letter = fromTemplate(answer, pattern, choices);
    if (letter !== null) return letter;
  }
  return MODES[mode](answer, choices, row);
}

const MODES: Record<GradingMode, (answer: string, choices: Choices, row: McqaRow) => string | null> = {
  strict_single_letter_boxed: fromStrictBox,
  lenient_boxed: fromLenientBox,
  lenient_answer_colon: fromAnswerLine,
  lenient_answer_colon_md: (answer, choices, row) => fromMarkdownAnswer(answer, choices, row.template_metadata?.answer_prefix ?? ""),
};
