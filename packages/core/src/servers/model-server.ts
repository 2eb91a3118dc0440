/** A model server: answers the Responses and the chat dialect for one model. A subclass says how an answer is had. */
import type { z } from "zod";
import { badResponse } from "../http/index.ts";
import {
  type ChatCompletion,
  type ChatRequest,
  failureOfResponse,
  type ModelResponse,
  parseChatAnswer,
  parseChatRequest,
  parseResponse,
  parseResponsesRequest,
  type ResponsesRequest,
  type Validation,
} from "../protocol/index.ts";
import { GymServer, type ServerConfig, serverConfigSchema } from "./gym-server.ts";
import { type RequestContext, type Route, reply } from "./route.ts";
import { responsesEvents } from "./sse.ts";

/** Keys of a model server's block; extend it with your own. */
export const modelServerConfig = serverConfigSchema.extend({});
export type ModelServerConfig = ServerConfig & z.infer<typeof modelServerConfig>;

export abstract class ModelServer<C extends ModelServerConfig = ModelServerConfig> extends GymServer<C> {
  static readonly configSchema: z.ZodType = modelServerConfig;

  /** The answer to a Responses request: any JSON; the base class checks it and fills in every key. */
  abstract responses(request: ResponsesRequest, context: RequestContext): Promise<unknown>;

  /** The answer to a chat request: any JSON; the base class checks it and fills in every key. */
  abstract chatCompletions(request: ChatRequest, context: RequestContext): Promise<unknown>;

  override routes(): Route[] {
    return [
      ...super.routes(),
      { method: "POST", path: "/v1/responses", parse: parseStreamable, handler: (call, context) => this.#responses(call, context) },
      { method: "POST", path: "/v1/chat/completions", parse: parseChatRequest, handler: (body, context) => this.#chat(body, context) },
    ];
  }

  /** Whatever the id: a client's address may hold any, and only capture looks at it. */
  override allowsPrefix(): boolean {
    return true;
  }

  async #responses({ request, stream }: StreamableRequest, context: RequestContext): Promise<unknown> {
    const answer = async (): Promise<ModelResponse> => {
      const response = this.#checked(parseResponse(await this.responses(request, context)), "/v1/responses");
      const failure = failureOfResponse(response);
      if (failure !== undefined) throw badResponse({ server: this.name, path: "/v1/responses", status: 200 }, failure);
      return response;
    };
    if (!stream) return answer();
    return reply({
      stream: responsesEvents(answer),
      headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache", "x-accel-buffering": "no" },
    });
  }

  async #chat(request: ChatRequest, context: RequestContext): Promise<ChatCompletion> {
    return this.#checked(parseChatAnswer(await this.chatCompletions(request, context)), "/v1/chat/completions");
  }

  #checked<T>(parsed: Validation<T>, path: string): T {
    if (parsed.ok) return parsed.value;
    const issues = parsed.issues.slice(0, 5).map((issue) => `${issue.loc.slice(1).join(".") || "the body"}: ${issue.msg}`);
    throw badResponse({ server: this.name, path, status: 200 }, `something that is not an answer of its dialect (${issues.join("; ")})`);
  }
}

interface StreamableRequest {
  request: ResponsesRequest;
  stream: boolean;
}

/** A request with `stream` set asks for server-sent events; the rest of it is checked like any other. */
function parseStreamable(body: unknown): Validation<StreamableRequest> {
  const stream = typeof body === "object" && body !== null && Boolean((body as { stream?: unknown }).stream);
  const parsed = parseResponsesRequest(stream ? { ...(body as object), stream: undefined } : body);
  if (!parsed.ok) return parsed;
  return { ok: true, value: { request: parsed.value, stream } };
}
