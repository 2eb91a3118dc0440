/** A Response with the keys that its schema requires and no others. */
export function plainResponse(output: readonly object[] = [], fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    id: "r",
    created_at: 0,
    model: "m",
    object: "response",
    output,
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
    ...fields,
  };
}
