/** Messages of a chat request. Unknown keys are refused, also inside a message; `reasoning_content` of an assistant message is part of the dialect. */
import { z } from "zod";
import { isObject, type NoChoice, PARAMS, pick, textOrList } from "./fields.ts";
import { hasTokenFields, missingTokenFields, type TokenArray, tokenShape } from "./token-fields.ts";

const str = z.string();
const { object } = PARAMS;

const textPart = object({ text: str, type: z.literal("text") });
const refusalPart = object({ refusal: str, type: z.literal("refusal") });
const userPart = z.discriminatedUnion("type", [
  textPart,
  object({ image_url: object({ url: str, detail: z.enum(["auto", "low", "high"]).optional() }), type: z.literal("image_url") }),
  object({ input_audio: object({ data: str, format: str }), type: z.literal("input_audio") }),
  object({
    file: object({ file_data: str.optional(), file_id: str.optional(), filename: str.optional() }),
    type: z.literal("file"),
  }),
  object({ video_url: object({ url: str }), type: z.literal("video_url") }),
]);

const callFunction = object({ arguments: str, name: str });
const typedCall = z.discriminatedUnion("type", [
  object({ id: str, function: callFunction, type: z.literal("function") }),
  object({ id: str, custom: object({ input: str, name: str }), type: z.literal("custom") }),
]);
/** Some clients repeat a function's name beside its object: the repetition is removed. */
const toolCall = z.preprocess((call) => {
  if (!isObject(call) || !("name" in call) || !isObject(call.function) || call.function.name !== call.name) return call;
  const { name: _, ...rest } = call;
  return rest;
}, typedCall);

const name = { name: str.optional() };
const assistantShape = {
  role: z.literal("assistant"),
  audio: object({ id: str }).nullish(),
  content: textOrList(z.discriminatedUnion("type", [textPart, refusalPart])).nullish(),
  function_call: callFunction.nullish(),
  ...name,
  reasoning_content: str.nullish(),
  refusal: str.nullish(),
  tool_calls: z.array(toolCall).nullish(),
};
const instructions = textOrList(textPart);
const messages = {
  developer: object({ content: instructions, role: z.literal("developer"), ...name }),
  system: object({ content: instructions, role: z.literal("system"), ...name }),
  user: object({ content: textOrList(userPart), role: z.literal("user"), ...name }),
  assistant: object(assistantShape),
  tool: object({ content: instructions, role: z.literal("tool"), tool_call_id: str }),
};
const trainedAssistant = object({ ...assistantShape, ...tokenShape("sent") });

export type ChatAssistantMessage = z.output<typeof messages.assistant> & {
  prompt_token_ids?: TokenArray;
  generation_token_ids?: TokenArray;
  generation_log_probs?: TokenArray;
  routed_experts?: unknown;
};
export type ChatUserMessage = z.output<typeof messages.user>;
export type ChatToolMessage = z.output<typeof messages.tool>;
export type ChatSystemMessage = z.output<typeof messages.system> | z.output<typeof messages.developer>;
/** A message of a chat request; `role` tells them apart. */
export type ChatMessage = ChatSystemMessage | ChatUserMessage | ChatAssistantMessage | ChatToolMessage;
export type ChatToolCall = NonNullable<ChatAssistantMessage["tool_calls"]>[number];

export const chatMessageSchema: z.ZodType<ChatMessage> = pick<ChatMessage>((message) => {
  if (!isObject(message))
    return { type: "model_attributes_type", message: "Input should be a valid dictionary or object to extract fields from" };
  const { role } = message;
  if (typeof role !== "string" || !Object.hasOwn(messages, role)) return noRole();
  if (role !== "assistant" || !hasTokenFields(message)) return messages[role as keyof typeof messages] as never;
  const missing = missingTokenFields(message);
  if (missing.length === 0) return trainedAssistant as never;
  return { type: "value_error", message: `Value error, token metadata must be complete; missing: ${missing.join(", ")}` };
});

function noRole(): NoChoice {
  return { type: "literal_error", message: "Input should be 'developer', 'system', 'user', 'assistant' or 'tool'", path: ["role"] };
}
