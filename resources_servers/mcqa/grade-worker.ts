/** What a worker thread of the verify lane runs: grading of a row whose regular expressions come from the data set. */
import { gradeMcqa, type McqaGrade } from "./verify.ts";

export interface GradeTask {
  row: Parameters<typeof gradeMcqa>[0];
  text: string;
  config: Parameters<typeof gradeMcqa>[2];
}

export default function grade({ row, text, config }: GradeTask): McqaGrade {
  return gradeMcqa(row, text, config);
}
