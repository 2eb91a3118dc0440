import { type Turn, USAGE } from "./turn.ts";

// biome-ignore lint/suspicious/noExplicitAny: a request body of any client
type Body = any;

const CREATED = 1_700_000_000;
const usage = { prompt_tokens: USAGE.input, completion_tokens: USAGE.output, total_tokens: USAGE.input + USAGE.output };

/** Tool results the conversation has so far. */
export function chatTurns(body: Body): number {
  return (body?.messages ?? []).filter((message: Body) => message?.role === "tool").length;
}

export function chatAnswer(turn: Turn): object {
  const message = turn.call === undefined ? { content: turn.text } : { content: null, tool_calls: [toolCall(turn)] };
  const choice = { index: 0, message: { role: "assistant", ...message }, finish_reason: finish(turn), logprobs: null };
  return { id: `chatcmpl-${turn.id}`, object: "chat.completion", created: CREATED, model: turn.model, choices: [choice], usage };
}

/** The same answer as chunks; the usage chunk where the request asks for it. */
export function chatFrames(turn: Turn, body: Body): string[] {
  const chunk = (choices: object[], more: object = {}): string =>
    `data: ${JSON.stringify({ id: `chatcmpl-${turn.id}`, object: "chat.completion.chunk", created: CREATED, model: turn.model, choices, ...more })}`;
  const delta = (content: object, finishReason: string | null = null): string =>
    chunk([{ index: 0, delta: content, finish_reason: finishReason }]);
  const content =
    turn.call === undefined
      ? pieces(turn.text).map((piece) => delta({ content: piece }))
      : [delta({ tool_calls: [{ index: 0, ...toolCall(turn) }] })];
  const last = body?.stream_options?.include_usage === true ? [chunk([], { usage })] : [];
  return [delta({ role: "assistant", content: "" }), ...content, delta({}, finish(turn)), ...last, "data: [DONE]"];
}

/** Words with the blank before them. */
export function pieces(text: string): string[] {
  return text.match(/\s*\S+|\s+$/g) ?? [];
}

function toolCall(turn: Turn): object {
  return { id: `call_${turn.id}`, type: "function", function: turn.call };
}

function finish(turn: Turn): string {
  return turn.call === undefined ? "stop" : "tool_calls";
}
