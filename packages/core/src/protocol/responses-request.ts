/**
 * The Responses request: strict (an unknown key is refused) and passed on as it came: only keys that were sent.
 * `materializeRequest` writes the form that `/seed_session` and `/verify` carry: all 30 keys.
 */
import { z } from "zod";
import { type Form, isObject, type Kit, nullish, PARAMS, pick, textOrList, withDefault } from "./fields.ts";
import { toolChoiceSchema, toolSchema } from "./hosted-tools.ts";
import { inputItem } from "./item-choice.ts";
import type { Item } from "./item-types.ts";
import { laxBool, laxFloat, laxInt } from "./lax.ts";
import { inputPart } from "./own-items.ts";
import { fromZod, type Parser } from "./validation.ts";

const str = z.string();

const INCLUDE = [
  "file_search_call.results",
  "web_search_call.results",
  "web_search_call.action.sources",
  "message.input_image.image_url",
  "computer_call_output.output.image_url",
  "code_interpreter_call.outputs",
  "reasoning.encrypted_content",
  "message.output_text.logprobs",
] as const;

export function reasoningSchema({ object, nul }: Kit) {
  const summary = z.enum(["auto", "concise", "detailed"]);
  return object({
    context: nul(z.enum(["auto", "current_turn", "all_turns"])),
    effort: nul(z.enum(["none", "minimal", "low", "medium", "high", "xhigh"])),
    generate_summary: nul(summary),
    summary: nul(summary),
  });
}

export function textSchema({ object, maybe, nul }: Kit) {
  const format = z.discriminatedUnion("type", [
    object({ type: z.literal("text") }),
    object({ type: z.literal("json_object") }),
    object({
      name: str,
      schema: z.record(str, z.unknown()),
      type: z.literal("json_schema"),
      description: maybe(str),
      strict: nul(laxBool),
    }),
  ]);
  return object({ format: maybe(format), verbosity: nul(z.enum(["low", "medium", "high"])) });
}

export function promptSchema({ object, nul }: Kit) {
  return object({ id: str, variables: nul(z.record(str, z.union([str, inputPart]))), version: nul(str) });
}

export const metadataSchema: z.ZodRecord<z.ZodString, z.ZodString> = z.record(str, str);
export const serviceTier: z.ZodEnum<Record<"auto" | "default" | "flex" | "scale" | "priority", never>> = z.enum([
  "auto",
  "default",
  "flex",
  "scale",
  "priority",
]) as never;
export const cacheRetention: z.ZodEnum<Record<"in_memory" | "24h", never>> = z.enum(["in_memory", "24h"]) as never;

const { object } = PARAMS;
/** Only `false` (also as 0) and null: a streamed request takes another path before it is validated. */
export const noStream: z.ZodType<false> = pick<false>((value) =>
  value === false || value === 0
    ? (z.unknown().transform(() => false as const) as never)
    : { type: "literal_error", message: "Input should be False" },
);

function requestSchema(form: Form) {
  const nul = <T extends z.ZodType>(type: T) => nullish(form, type);
  return z.strictObject({
    background: nul(laxBool),
    include: nul(z.array(z.enum(INCLUDE))),
    input: textOrList(inputItem(form)),
    instructions: nul(str),
    max_output_tokens: nul(laxInt),
    max_tool_calls: nul(laxInt),
    metadata: nul(metadataSchema),
    model: nul(str),
    parallel_tool_calls: withDefault(form, laxBool, true),
    previous_response_id: nul(str),
    prompt: nul(promptSchema(PARAMS)),
    reasoning: nul(reasoningSchema(PARAMS)),
    service_tier: nul(serviceTier),
    store: nul(laxBool),
    context_management: nul(z.array(object({ type: str, compact_threshold: laxInt.nullish() }))),
    conversation: nul(z.union([str, object({ id: str })])),
    moderation: nul(object({ model: str })),
    prompt_cache_key: nul(str),
    prompt_cache_retention: nul(cacheRetention),
    safety_identifier: nul(str),
    stream_options: nul(object({ include_obfuscation: laxBool.optional() })),
    temperature: nul(laxFloat),
    text: nul(textSchema(PARAMS)),
    tool_choice: withDefault(form, toolChoiceSchema(PARAMS), "auto"),
    tools: withDefault(form, z.array(toolSchema(PARAMS)), []),
    top_logprobs: nul(laxInt),
    top_p: nul(laxFloat),
    truncation: nul(z.enum(["auto", "disabled"])),
    user: nul(str),
    stream: nul(noStream),
  });
}

/** Lazy, like a Response's: each is built when the first such body is read. Together they are most of what this folder builds. */
const sentSchema = z.lazy(() => requestSchema("sent"));
const fullSchema = z.lazy(() => requestSchema("full"));

type Sent = z.output<typeof sentSchema>;
/** A Responses request with the keys that were sent. */
export type ResponsesRequest = Omit<Sent, "input"> & { input: string | Item[] };
/** A Responses request with all 30 keys. */
export type FullResponsesRequest = { [K in keyof ResponsesRequest]-?: Exclude<ResponsesRequest[K], undefined> };
export type Tool = NonNullable<ResponsesRequest["tools"]>[number];

/** What a caller may send back although the parameters do not have it: rewritten before validation, in a copy of what changes. */
function prepared(body: unknown): unknown {
  if (!isObject(body)) return body;
  const changed: Record<string, unknown> = {};
  if (Array.isArray(body.tools)) changed.tools = mapChanged(body.tools, preparedTool);
  if (Array.isArray(body.input)) changed.input = mapChanged(body.input, preparedItem);
  return Object.keys(changed).every((key) => changed[key] === body[key]) ? body : { ...body, ...changed };
}

function preparedTool(tool: unknown): unknown {
  return isObject(tool) && tool.defer_loading === null ? { ...tool, defer_loading: false } : tool;
}

function preparedItem(item: unknown): unknown {
  if (!isObject(item)) return item;
  if (item.type === "additional_tools") return item.role === "developer" ? item : { ...item, role: "developer" };
  if (item.type !== "computer_call_output" || item.status !== "failed") return item;
  const { status: _, ...rest } = item;
  return rest;
}

function mapChanged(list: unknown[], change: (value: unknown) => unknown): unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const changed = change(list[index]);
    if (changed === list[index]) continue;
    copy ??= [...list];
    copy[index] = changed;
  }
  return copy ?? list;
}

/** The schema of the sent form, for bodies that hold a request. */
export const responsesRequestSchema: z.ZodType<ResponsesRequest> = z.preprocess(prepared, sentSchema) as never;

/** Reads a Responses request: refuses unknown keys, coerces scalars, drops unknown keys of messages, adds nothing. */
export const parseResponsesRequest: Parser<ResponsesRequest> = fromZod(responsesRequestSchema);

/** All 30 keys, absent ones null or default; items with all of their keys. The request is not changed. */
export function materializeRequest(request: ResponsesRequest): FullResponsesRequest {
  return fullSchema.parse(request) as FullResponsesRequest;
}
