/** The model behind the fake upstream: the same body always gets the same answer. */
import { createHash } from "node:crypto";
import { chatAnswer, chatFrames, chatTurns } from "./model-chat.ts";
import { responsesAnswer, responsesFrames, responsesTurns } from "./model-responses.ts";
import type { Step } from "./step.ts";
import type { Turn } from "./turn.ts";

export interface FakeModel {
  text: string;
  /** Fixed wait before each answer, milliseconds. */
  latencyMs: number;
  /** That many turns answer with a tool call before the text; only where the request has tools. */
  toolCalls: number;
  /** Default: the first tool of the request. */
  toolName: string | undefined;
  /** JSON text. */
  toolArguments: string;
  /** Every n-th call fails with `errorStatus`; 0 is never. */
  errorEvery: number;
  errorStatus: number;
  /** Every n-th call is dropped; 0 is never. */
  dropEvery: number;
}

export const DEFAULT_MODEL: FakeModel = {
  text: "The answer is 42.",
  latencyMs: 0,
  toolCalls: 0,
  toolName: undefined,
  toolArguments: "{}",
  errorEvery: 0,
  errorStatus: 500,
  dropEvery: 0,
};

// biome-ignore lint/suspicious/noExplicitAny: a request body of any client
type Body = any;

/** The answer to the n-th call (from 1) of a route that ends in chat/completions, responses or models; undefined for other routes. */
export function modelStep(model: FakeModel, request: { route: string; body: Body; text: string; call: number }): Step | undefined {
  const { route, body, call } = request;
  if (route.endsWith("/models")) return { json: { object: "list", data: [{ id: "fake", object: "model", created: 0, owned_by: "fake" }] } };
  const chat = route.endsWith("/chat/completions");
  if (!chat && !route.endsWith("/responses")) return undefined;
  const wait: Step = model.latencyMs > 0 ? { delay: model.latencyMs / 1000 } : {};
  if (model.dropEvery > 0 && call % model.dropEvery === 0) return { ...wait, drop: true };
  if (model.errorEvery > 0 && call % model.errorEvery === 0) {
    return {
      ...wait,
      status: model.errorStatus,
      json: { error: { message: "the fake upstream was told to fail", type: "server_error", code: null } },
    };
  }
  const turn = turnOf(model, request, chat ? chatTurns(body) : responsesTurns(body));
  if (body?.stream === true) return { ...wait, sse: chat ? chatFrames(turn, body) : responsesFrames(turn) };
  return { ...wait, json: chat ? chatAnswer(turn) : responsesAnswer(turn) };
}

function turnOf(model: FakeModel, { body, text }: { body: Body; text: string }, past: number): Turn {
  const tool = body?.tools?.[0];
  const name = model.toolName ?? tool?.name ?? tool?.function?.name;
  return {
    id: createHash("sha256").update(text).digest("hex").slice(0, 16),
    model: body?.model ?? "fake",
    text: model.text,
    call: tool !== undefined && past < model.toolCalls ? { name, arguments: model.toolArguments } : undefined,
  };
}
