/** What the reference's agent says at the border to tools: texts that a model reads in place of an answer, and how a call without a body looks. */

/** What a resources server answers to a tool that it does not have. */
export const UNKNOWN_TOOL = '{"detail":"Not Found"}';

export function invalidArguments(reason: string): string {
  return `{"error": ${JSON.stringify(`Invalid tool call arguments: ${reason}`)}}`;
}

/** Arguments of JSON null are sent as no body, under this content type. */
export const NO_BODY_HEADERS: Readonly<Record<string, string>> = { "content-type": "application/octet-stream" };
