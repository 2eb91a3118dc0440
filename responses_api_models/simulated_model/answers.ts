/** A reply as the two dialects write it. Every answer says that it is simulated; ids come from the draw and no clock is read, so a repeat is the same to the byte. */
import type { Draw } from "./draw.ts";
import type { Reply } from "./think.ts";

/** What stands in `model` and, as metadata, in every answer. */
export const MODEL_NAME = "simulated";
const MARK = { simulated: "true" } as const;

/** A real clock would make two equal runs differ. */
const CREATED_AT = 0;

export interface AnswerOptions {
  draw: Draw;
  /** What the model read. */
  prompt: string;
}

export function responsesAnswer(reply: Reply, request: Record<string, unknown>, { draw, prompt }: AnswerOptions): Record<string, unknown> {
  const usage = countTokens(prompt, reply);
  const item =
    reply.kind === "call"
      ? {
          type: "function_call",
          id: `fc_${draw.id("item")}`,
          call_id: `call_${draw.id("call")}`,
          name: reply.name,
          arguments: reply.arguments,
          status: "completed",
        }
      : {
          type: "message",
          id: `msg_${draw.id("item")}`,
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: reply.text, annotations: [] }],
        };
  return {
    id: `resp_${draw.id("response")}`,
    object: "response",
    created_at: CREATED_AT,
    model: MODEL_NAME,
    status: "completed",
    output: [item],
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    tool_choice: request.tool_choice ?? "auto",
    tools: request.tools ?? [],
    metadata: { ...(request.metadata as Record<string, string> | null | undefined), ...MARK },
    usage: {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.input + usage.output,
    },
  };
}

export function chatAnswer(reply: Reply, { draw, prompt }: AnswerOptions): Record<string, unknown> {
  const usage = countTokens(prompt, reply);
  const message =
    reply.kind === "call"
      ? {
          role: "assistant",
          content: null,
          tool_calls: [{ id: `call_${draw.id("call")}`, type: "function", function: { name: reply.name, arguments: reply.arguments } }],
        }
      : { role: "assistant", content: reply.text };
  return {
    id: `chatcmpl-${draw.id("response")}`,
    object: "chat.completion",
    created: CREATED_AT,
    model: MODEL_NAME,
    system_fingerprint: MODEL_NAME,
    choices: [{ index: 0, finish_reason: reply.kind === "call" ? "tool_calls" : "stop", message }],
    usage: { prompt_tokens: usage.input, completion_tokens: usage.output, total_tokens: usage.input + usage.output },
    metadata: MARK,
  };
}

/** Four characters a token: an estimate that is the same everywhere. */
function countTokens(prompt: string, reply: Reply): { input: number; output: number } {
  const said = reply.kind === "call" ? reply.name + reply.arguments : reply.text;
  return { input: Math.max(1, Math.ceil(prompt.length / 4)), output: Math.max(1, Math.ceil(said.length / 4)) };
}
