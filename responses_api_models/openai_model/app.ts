/** Model server in front of any OpenAI-compatible endpoint: each route is passed on as it is, nothing is converted. */
import type { ChatCompletion, ChatRequest, ModelResponse, ResponsesRequest } from "@ng-gym/core/protocol";
import { ModelServer, type RequestContext, type ServerOptions, serve } from "@ng-gym/core/servers";
import { type OpenAIModelConfig, openaiModelConfig } from "./config.ts";
import { chatBody, responsesBody } from "./request-body.ts";
import { createUpstream, type Upstream } from "./upstream.ts";

export default class SimpleModelServer extends ModelServer<OpenAIModelConfig> {
  static override readonly configSchema = openaiModelConfig;
  readonly #upstream: Upstream;

  constructor(options: ServerOptions<OpenAIModelConfig>) {
    super(options);
    this.#upstream = createUpstream(options);
  }

  override async responses(request: ResponsesRequest, context: RequestContext): Promise<ModelResponse> {
    const body = responsesBody(request as Record<string, unknown>, this.config);
    return (await this.#upstream.post("/responses", body, context)) as ModelResponse;
  }

  override async chatCompletions(request: ChatRequest, context: RequestContext): Promise<ChatCompletion> {
    const body = chatBody(request as Record<string, unknown>, this.config);
    return (await this.#upstream.post("/chat/completions", body, context)) as ChatCompletion;
  }
}

await serve(import.meta, SimpleModelServer);
