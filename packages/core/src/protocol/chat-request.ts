/** The Chat Completions request: strict, passed on as it came. */
import { z } from "zod";
import { type ChatMessage, chatMessageSchema } from "./chat-messages.ts";
import { anyObject, PARAMS, pick } from "./fields.ts";
import { laxBool, laxFloat, laxInt } from "./lax.ts";
import { cacheRetention, metadataSchema, noStream, serviceTier } from "./responses-request.ts";
import { fromZod, type Parser } from "./validation.ts";

export type {
  ChatAssistantMessage,
  ChatMessage,
  ChatSystemMessage,
  ChatToolCall,
  ChatToolMessage,
  ChatUserMessage,
} from "./chat-messages.ts";

const str = z.string();
const { object, nul } = PARAMS;
const parameters = anyObject.optional();

const responseFormat = z.discriminatedUnion("type", [
  object({ type: z.literal("text") }),
  object({ type: z.literal("json_object") }),
  object({
    json_schema: object({ name: str, description: str.optional(), schema: parameters, strict: nul(laxBool) }),
    type: z.literal("json_schema"),
  }),
]);

const customFormat = z.discriminatedUnion("type", [
  object({ type: z.literal("text") }),
  object({ grammar: object({ definition: str, syntax: z.enum(["lark", "regex"]) }), type: z.literal("grammar") }),
]);

const tool = z.discriminatedUnion("type", [
  object({
    function: object({ name: str, description: str.optional(), parameters, strict: nul(laxBool) }),
    type: z.literal("function"),
  }),
  object({ custom: object({ name: str, description: str.optional(), format: customFormat.optional() }), type: z.literal("custom") }),
]);
export type ChatTool = z.output<typeof tool>;

const named = object({ name: str });
const toolChoice = z.union([
  z.enum(["none", "auto", "required"]),
  z.discriminatedUnion("type", [
    object({ allowed_tools: object({ mode: z.enum(["auto", "required"]), tools: z.array(anyObject) }), type: z.literal("allowed_tools") }),
    object({ function: named, type: z.literal("function") }),
    object({ custom: named, type: z.literal("custom") }),
  ]),
]);

const strings = z.array(str);
const stop = pick<string | string[]>((value) => (Array.isArray(value) ? strings : str) as never);

const schema = z.strictObject({
  messages: z.array(chatMessageSchema),
  model: nul(str),
  audio: nul(object({ format: str, voice: z.union([str, object({ id: str })]) })),
  frequency_penalty: nul(laxFloat),
  logit_bias: nul(z.record(str, laxInt)),
  logprobs: nul(laxBool),
  max_completion_tokens: nul(laxInt),
  max_tokens: nul(laxInt),
  metadata: nul(metadataSchema),
  modalities: nul(z.array(z.enum(["text", "audio"]))),
  moderation: nul(object({ model: str })),
  n: nul(laxInt),
  parallel_tool_calls: laxBool.optional(),
  prediction: nul(object({ content: z.union([str, z.array(object({ text: str, type: z.literal("text") }))]), type: z.literal("content") })),
  presence_penalty: nul(laxFloat),
  prompt_cache_key: nul(str),
  prompt_cache_retention: nul(cacheRetention),
  reasoning_effort: nul(z.enum(["none", "minimal", "low", "medium", "high", "xhigh"])),
  response_format: nul(responseFormat),
  safety_identifier: nul(str),
  seed: nul(laxInt),
  service_tier: nul(serviceTier),
  stop: nul(stop),
  store: nul(laxBool),
  stream: nul(noStream),
  stream_options: nul(object({ include_obfuscation: laxBool.optional(), include_usage: laxBool.optional() })),
  temperature: nul(laxFloat),
  tool_choice: nul(toolChoice),
  tools: nul(z.array(tool)),
  top_logprobs: nul(laxInt),
  top_p: nul(laxFloat),
  user: nul(str),
  verbosity: nul(z.enum(["low", "medium", "high"])),
  web_search_options: nul(object({ search_context_size: z.enum(["low", "medium", "high"]).optional(), user_location: nul(anyObject) })),
  // Extensions of vLLM and others, passed through as they are.
  chat_template_kwargs: nul(anyObject),
  thinking: nul(anyObject),
  output_config: nul(anyObject),
});

/** A chat request with the keys that were sent. */
export type ChatRequest = Omit<z.output<typeof schema>, "messages"> & { messages: ChatMessage[] };

export const chatRequestSchema: z.ZodType<ChatRequest> = schema as unknown as z.ZodType<ChatRequest>;

/** Reads a chat request: refuses unknown keys at the top and inside messages, coerces scalars, adds nothing. */
export const parseChatRequest: Parser<ChatRequest> = fromZod(chatRequestSchema);
