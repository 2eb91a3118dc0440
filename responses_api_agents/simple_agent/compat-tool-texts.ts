/** Texts that a model reads in place of a tool's answer, worded as models trained with the reference know them. */

/** What a resources server answers to a tool that it does not have. */
export const UNKNOWN_TOOL = '{"detail":"Not Found"}';

export function invalidArguments(reason: string): string {
  return `{"error": ${JSON.stringify(`Invalid tool call arguments: ${reason}`)}}`;
}
