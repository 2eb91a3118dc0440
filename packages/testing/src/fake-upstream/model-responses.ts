import { pieces } from "./model-chat.ts";
import { type Turn, USAGE } from "./turn.ts";

// biome-ignore lint/suspicious/noExplicitAny: a request body of any client
type Body = any;

const usage = {
  input_tokens: USAGE.input,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: USAGE.output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: USAGE.input + USAGE.output,
};

/** Tool results the conversation has so far. */
export function responsesTurns(body: Body): number {
  return Array.isArray(body?.input) ? body.input.filter((item: Body) => item?.type === "function_call_output").length : 0;
}

export function responsesAnswer(turn: Turn, status = "completed", output: object[] = [itemOf(turn)]): object {
  return {
    id: `resp_${turn.id}`,
    object: "response",
    created_at: 1_700_000_000,
    status,
    error: null,
    incomplete_details: null,
    model: turn.model,
    output,
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
    usage: status === "completed" ? usage : null,
  };
}

function itemOf(turn: Turn): object {
  if (turn.call !== undefined)
    return { type: "function_call", id: `fc_${turn.id}`, call_id: `call_${turn.id}`, ...turn.call, status: "completed" };
  return {
    type: "message",
    id: `msg_${turn.id}`,
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: turn.text, annotations: [] }],
  };
}

/** The same answer as the events of a stream. */
export function responsesFrames(turn: Turn): string[] {
  let number = 0;
  const event = (type: string, content: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number++, ...content })}`;
  const item = itemOf(turn);
  const place = { output_index: 0, item_id: turn.call === undefined ? `msg_${turn.id}` : `fc_${turn.id}` };
  const deltas =
    turn.call === undefined
      ? pieces(turn.text).map((delta) => event("response.output_text.delta", { ...place, content_index: 0, delta }))
      : [event("response.function_call_arguments.delta", { ...place, delta: turn.call.arguments })];
  return [
    event("response.created", { response: responsesAnswer(turn, "in_progress", []) }),
    event("response.output_item.added", { output_index: 0, item: { ...item, status: "in_progress" } }),
    ...deltas,
    event("response.output_item.done", { output_index: 0, item }),
    event("response.completed", { response: responsesAnswer(turn) }),
  ];
}
