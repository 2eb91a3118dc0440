/** A Response: always in the full form. Unknown keys of the Response, its usage and hosted items are kept. */
import { z } from "zod";
import { withSchemaKey } from "./compat-schema-key.ts";
import { anyObject, FULL_MODEL } from "./fields.ts";
import { toolChoiceSchema, toolSchema } from "./hosted-tools.ts";
import { outputItem } from "./item-choice.ts";
import type { Item } from "./item-types.ts";
import { laxBool, laxFloat, laxInt } from "./lax.ts";
import { cacheRetention, metadataSchema, promptSchema, reasoningSchema, serviceTier, textSchema } from "./responses-request.ts";
import { usageSchema } from "./usage.ts";
import { fromZod, type Parser } from "./validation.ts";

const str = z.string();
const { object, nul } = FULL_MODEL;

const ERROR_CODES_OF_RESPONSES = [
  "server_error",
  "rate_limit_exceeded",
  "invalid_prompt",
  "vector_store_timeout",
  "invalid_image",
  "invalid_image_format",
  "invalid_base64_image",
  "invalid_image_url",
  "image_too_large",
  "image_too_small",
  "image_parse_error",
  "image_content_policy_violation",
  "invalid_image_mode",
  "image_file_too_large",
  "unsupported_image_media_type",
  "empty_image_file",
  "failed_to_download_image",
  "image_file_not_found",
] as const;

const responseSchema = z.lazy(() =>
  object({
    id: str,
    created_at: laxFloat,
    error: nul(object({ code: z.enum(ERROR_CODES_OF_RESPONSES), message: str })),
    incomplete_details: nul(object({ reason: nul(z.enum(["max_output_tokens", "content_filter"])) })),
    instructions: nul(z.union([str, z.array(anyObject)])),
    metadata: nul(metadataSchema),
    model: str,
    object: z.literal("response"),
    output: z.array(outputItem()),
    parallel_tool_calls: laxBool,
    temperature: nul(laxFloat),
    tool_choice: toolChoiceSchema(FULL_MODEL),
    tools: z.array(toolSchema(FULL_MODEL)),
    top_p: nul(laxFloat),
    background: nul(laxBool),
    completed_at: nul(laxFloat),
    conversation: nul(object({ id: str })),
    max_output_tokens: nul(laxInt),
    max_tool_calls: nul(laxInt),
    moderation: nul(object({ input: anyObject, output: anyObject })),
    previous_response_id: nul(str),
    prompt: nul(promptSchema(FULL_MODEL)),
    prompt_cache_key: nul(str),
    prompt_cache_retention: nul(cacheRetention),
    reasoning: nul(reasoningSchema(FULL_MODEL)),
    safety_identifier: nul(str),
    service_tier: nul(serviceTier),
    status: nul(z.enum(["completed", "failed", "in_progress", "cancelled", "queued", "incomplete"])),
    text: nul(z.preprocess(withSchemaKey, textSchema(FULL_MODEL))),
    top_logprobs: nul(laxInt),
    truncation: nul(z.enum(["auto", "disabled"])),
    usage: nul(usageSchema),
    user: nul(str),
  }),
);

type Described = z.output<typeof responseSchema>;
/** A Response with all 33 keys, and whatever else the provider sent. */
export type ModelResponse = { [K in keyof Described]-?: Exclude<Described[K], undefined> } & { output: Item[]; [key: string]: unknown };

export const modelResponseSchema: z.ZodType<ModelResponse> = responseSchema as never;

/** Reads a Response and writes out every key. */
export const parseResponse: Parser<ModelResponse> = fromZod(modelResponseSchema);
