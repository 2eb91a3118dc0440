/** Types of items, as code reads them after validation: the ones that code looks into are spelled out, the rest is open. */
import type { z } from "zod";
import { anyObject } from "./fields.ts";
import type { OwnItems } from "./own-items.ts";
import type { TokenArray } from "./token-fields.ts";

/** An item kept without a description. */
export const anyItem: z.ZodType<Item> = anyObject as unknown as z.ZodType<Item>;

/** What a training run adds to an item. */
export interface TokenFields {
  prompt_token_ids?: TokenArray;
  generation_token_ids?: TokenArray;
  generation_log_probs?: TokenArray;
  routed_experts?: unknown;
}

export type EasyMessage = z.output<OwnItems["easy"]> & TokenFields;
export type InputMessage = z.output<OwnItems["input"]> & TokenFields;
export type OutputMessage = z.output<OwnItems["output"]> & TokenFields;
export type FunctionCall = z.output<OwnItems["call"]> & TokenFields;
export type ReasoningItem = z.output<OwnItems["reasoning"]> & TokenFields;
export type FunctionCallOutput = z.output<OwnItems["callOutput"]>;

/** An item of `input` or `output`. Narrow it with the guards below; hosted items and untagged turns are open objects. */
export interface Item {
  type?: string | null;
  [key: string]: unknown;
}

/** A message of a model in its output form: `content` is a list of `output_text` and `refusal` parts. */
export function isOutputMessage(item: Item): item is Item & OutputMessage {
  return (item.type === "message" || item.type === undefined) && item.role === "assistant" && Array.isArray(item.content) && "id" in item;
}

export function isFunctionCall(item: Item): item is Item & FunctionCall {
  return item.type === "function_call";
}

export function isFunctionCallOutput(item: Item): item is Item & FunctionCallOutput {
  return item.type === "function_call_output";
}

export function isReasoning(item: Item): item is Item & ReasoningItem {
  return item.type === "reasoning";
}
