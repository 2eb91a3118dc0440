/** The body that goes to the endpoint: extras below, the request above, the model name on top. */
import type { OpenAIModelConfig } from "./config.ts";

type Body = Readonly<Record<string, unknown>>;

export function responsesBody(request: Body, config: OpenAIModelConfig): Body {
  const drop = config.drop_input_reasoning_items && Array.isArray(request.input);
  return drop
    ? { ...chatBody(request, config), input: (request.input as unknown[]).filter((item) => !isReasoning(item)) }
    : chatBody(request, config);
}

export function chatBody(request: Body, config: OpenAIModelConfig): Body {
  return { ...config.extra_body, ...request, model: config.openai_model };
}

function isReasoning(item: unknown): boolean {
  return typeof item === "object" && item !== null && (item as { type?: unknown }).type === "reasoning";
}
