/**
 * What a multiple-choice row holds. The schema is what `/verify` needs and accepts what the reference accepts, except for typed slips that the
 * reference only meets half way through grading; `mcqaRowProblems` is the stricter look at a row of a data set before any model sees it.
 */
import { z } from "zod";
import { alphabeticKeys, compilePythonRegex } from "./grading/index.ts";

export const ROW_GRADING_MODES = ["strict_single_letter_boxed", "lenient_boxed", "lenient_answer_colon"] as const;
/** What a server may be set to: the markdown mode can be chosen for a server, not for a row. */
export const GRADING_MODES = [...ROW_GRADING_MODES, "lenient_answer_colon_md"] as const;
export type GradingMode = (typeof GRADING_MODES)[number];

export const mcqaRow = z.object({
  uuid: z.string().nullish(),
  /** Letter -> text, usually one letter an entry; a letter with null text is not on offer. */
  options: z.array(z.record(z.string(), z.string().nullable())).nullish(),
  expected_answer: z.string().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  grading_mode: z.enum(ROW_GRADING_MODES).default("strict_single_letter_boxed"),
  template_metadata: z
    .looseObject({
      /** Python regular expression(s) with at most one group; the first that yields an answer decides. */
      output_regex: z.union([z.string(), z.array(z.string())]).optional(),
      /** Text that announces the answer, read in the markdown mode only. */
      answer_prefix: z.string().nullish(),
    })
    .nullish(),
});
export type McqaRow = z.input<typeof mcqaRow>;

/** What would make this row unfair or impossible to grade, one sentence each; `[]` for a good row. For loading, before a run. */
export function mcqaRowProblems(row: z.output<typeof mcqaRow>): string[] {
  const problems: string[] = [];
  const options = row.options ?? [];
  const gold = row.expected_answer?.trim() ?? "";
  options.forEach((option, index) => {
    for (const [letter, text] of Object.entries(option))
      if (text === null) problems.push(`options[${index}].${letter}: expected a text, got null`);
  });
  if (gold === "") problems.push("expected_answer: expected the letter of an option, got nothing");
  else if (options.length > 0 && !options.flatMap((option) => alphabeticKeys(option)).includes(gold.toUpperCase())) {
    problems.push(`expected_answer: expected the letter of an option, got ${JSON.stringify(gold)}`);
  }
  for (const pattern of [row.template_metadata?.output_regex ?? []].flat()) {
    const compiled = compilePythonRegex(pattern);
    if (compiled !== undefined && compiled.groups > 1) {
      problems.push(`template_metadata.output_regex: expected at most one group, got ${compiled.groups} in ${JSON.stringify(pattern)}`);
    }
  }
  return problems;
}
