/** A chat completion: always in the full form; unknown keys are kept on every level. */
import { z } from "zod";
import { anyObject, FULL_MODEL, isObject, pick } from "./fields.ts";
import { laxFloat, laxInt } from "./lax.ts";
import { serviceTier } from "./responses-request.ts";
import { hasTokenFields, missingTokenFields, type TokenArray, tokenShape } from "./token-fields.ts";
import { fromZod, type Parser } from "./validation.ts";

const str = z.string();
const { object, nul } = FULL_MODEL;

const toolCall = z.discriminatedUnion("type", [
  object({ id: str, function: object({ arguments: str, name: str }), type: z.literal("function") }),
  object({ id: str, custom: object({ input: str, name: str }), type: z.literal("custom") }),
]);

const messageShape = {
  content: nul(str),
  refusal: nul(str),
  role: z.literal("assistant"),
  annotations: nul(
    z.array(
      object({
        type: z.literal("url_citation"),
        url_citation: object({ end_index: laxInt, start_index: laxInt, title: str, url: str }),
      }),
    ),
  ),
  audio: nul(object({ id: str, data: str, expires_at: laxInt, transcript: str })),
  function_call: nul(object({ arguments: str, name: str })),
  tool_calls: nul(z.array(toolCall)),
};
const plainMessage = object(messageShape);
const trainedMessage = object({ ...tokenShape("full"), ...messageShape });

export type ChatAnswerMessage = Full<z.output<typeof plainMessage>> & {
  prompt_token_ids?: TokenArray;
  generation_token_ids?: TokenArray;
  generation_log_probs?: TokenArray;
  routed_experts?: unknown;
  [key: string]: unknown;
};
type Full<T> = { [K in keyof T]-?: Exclude<T[K], undefined> };

const message = pick<ChatAnswerMessage>((value) => {
  if (!isObject(value) || !hasTokenFields(value)) return plainMessage as never;
  const missing = missingTokenFields(value);
  if (missing.length === 0) return trainedMessage as never;
  return { type: "value_error", message: `Value error, token metadata must be complete; missing: ${missing.join(", ")}` };
});

const logprobShape = { token: str, bytes: nul(z.array(laxInt)), logprob: laxFloat };
const logprobs = z.array(object({ ...logprobShape, top_logprobs: z.array(object(logprobShape)) }));

const choice = object({
  finish_reason: z.enum(["stop", "length", "tool_calls", "content_filter", "function_call"]),
  index: laxInt,
  logprobs: nul(object({ content: nul(logprobs), refusal: nul(logprobs) })),
  message,
});

const usage = object({
  completion_tokens: laxInt,
  prompt_tokens: laxInt,
  total_tokens: laxInt,
  completion_tokens_details: nul(
    object({
      accepted_prediction_tokens: nul(laxInt),
      audio_tokens: nul(laxInt),
      reasoning_tokens: nul(laxInt),
      rejected_prediction_tokens: nul(laxInt),
    }),
  ),
  prompt_tokens_details: nul(object({ audio_tokens: nul(laxInt), cached_tokens: nul(laxInt) })),
});
export type ChatUsage = z.output<typeof usage>;

const completion = object({
  id: str,
  choices: z.array(choice),
  created: laxInt,
  model: str,
  object: z.literal("chat.completion"),
  moderation: nul(object({ input: anyObject, output: anyObject })),
  service_tier: nul(serviceTier),
  system_fingerprint: nul(str),
  usage: nul(usage),
});

export type ChatChoice = Full<Omit<z.output<typeof choice>, "message">> & { message: ChatAnswerMessage; [key: string]: unknown };
/** A chat completion with every key, and whatever else the provider sent. */
export type ChatCompletion = Full<Omit<z.output<typeof completion>, "choices">> & { choices: ChatChoice[]; [key: string]: unknown };

export const chatCompletionSchema: z.ZodType<ChatCompletion> = completion as unknown as z.ZodType<ChatCompletion>;

/** Reads a chat completion and writes out every key. */
export const parseChatAnswer: Parser<ChatCompletion> = fromZod(chatCompletionSchema);
