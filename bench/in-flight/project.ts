/** Configuration and rows of the bench: one agent, one resources server, and one model server in front of all addresses of the endpoint. */

const RESOURCES = "example_single_tool_call";
const TOOL = {
  type: "function",
  name: "get_weather",
  description: "The weather in a city right now.",
  strict: true,
  parameters: {
    type: "object",
    properties: { city: { type: "string", description: "Name of the city." } },
    required: ["city"],
    additionalProperties: false,
  },
};

const AGENT = "bench_agent";

/** A session stays with one of the addresses, so that rollouts are spread over them. */
export function configOf(urls: readonly string[]): object {
  const model = {
    entrypoint: "app.ts",
    openai_base_url: urls,
    openai_api_key: "$" + "{policy_api_key}",
    openai_model: "$" + "{policy_model_name}",
  };
  const agent = {
    entrypoint: "app.ts",
    resources_server: { type: "resources_servers", name: RESOURCES },
    model_server: { type: "responses_api_models", name: "bench_model" },
  };
  const resources = { entrypoint: "app.ts", domain: "agent", verified: false, description: "One weather tool." };
  return {
    [RESOURCES]: { resources_servers: { [RESOURCES]: resources } },
    bench_model: { responses_api_models: { openai_model: model } },
    [AGENT]: { responses_api_agents: { simple_agent: agent } },
  };
}

export function rowsOf(count: number): object[] {
  return Array.from({ length: count }, (_, index) => ({
    responses_create_params: {
      input: [
        { role: "system", content: "Answer briefly and use the tool when it helps." },
        { role: "user", content: `Traveller ${index} asks: what is the weather like in Bern today?` },
      ],
      tools: [TOOL],
      parallel_tool_calls: false,
    },
    agent_ref: { type: "responses_api_agents", name: AGENT },
  }));
}
