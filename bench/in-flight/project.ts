/** Configuration and rows of the bench: one model server and one agent for each address of the endpoint, all with one resources server. */

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

export function agentOf(index: number): string {
  return `bench_agent_${index}`;
}

export function configOf(urls: readonly string[]): object {
  const servers = urls.map((url, index) => {
    const model = {
      entrypoint: "app.ts",
      openai_base_url: url,
      openai_api_key: "$" + "{policy_api_key}",
      openai_model: "$" + "{policy_model_name}",
    };
    const agent = {
      entrypoint: "app.ts",
      resources_server: { type: "resources_servers", name: RESOURCES },
      model_server: { type: "responses_api_models", name: `bench_model_${index}` },
    };
    return {
      [`bench_model_${index}`]: { responses_api_models: { openai_model: model } },
      [agentOf(index)]: { responses_api_agents: { simple_agent: agent } },
    };
  });
  const resources = { entrypoint: "app.ts", domain: "agent", verified: false, description: "One weather tool." };
  return Object.assign({ [RESOURCES]: { resources_servers: { [RESOURCES]: resources } } }, ...servers);
}

export function rowsOf(count: number, agents: number): object[] {
  return Array.from({ length: count }, (_, index) => ({
    responses_create_params: {
      input: [
        { role: "system", content: "Answer briefly and use the tool when it helps." },
        { role: "user", content: `Traveller ${index} asks: what is the weather like in Bern today?` },
      ],
      tools: [TOOL],
      parallel_tool_calls: false,
    },
    agent_ref: { type: "responses_api_agents", name: agentOf(index % agents) },
  }));
}
