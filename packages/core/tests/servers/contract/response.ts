/** A model's answer of one sentence, as short as its schema allows. */
export function responseSaying(text: string): Record<string, unknown> {
  const content = [{ type: "output_text", text, annotations: [] }];
  return {
    id: "resp_1",
    created_at: 1_700_000_000,
    model: "m",
    object: "response",
    output: [{ type: "message", id: "msg_1", role: "assistant", status: "completed", content }],
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
  };
}
