/**
 * Tools and the choice among them. One description read by two kits: as parameters of a request (unknown keys refused, a function tool has all
 * of name, parameters and strict) and as a model inside a Response (unknown keys kept, absent keys null).
 */
import { z } from "zod";
import { anyObject, type Kit } from "./fields.ts";
import { laxBool, laxFloat, laxInt } from "./lax.ts";

const str = z.string();
const strings = z.array(str);
const stringMap = z.record(str, str);

export function toolSchema(kit: Kit) {
  const { object, maybe, nul } = kit;
  const isModel = kit.form === "full";
  const place = { city: nul(str), country: nul(str), region: nul(str), timezone: nul(str) };
  const contextSize = maybe(z.enum(["low", "medium", "high"]));
  const format = z.discriminatedUnion("type", [
    object({ type: z.literal("text") }),
    object({ definition: str, syntax: z.enum(["lark", "regex"]), type: z.literal("grammar") }),
  ]);
  const custom = object({
    name: str,
    type: z.literal("custom"),
    defer_loading: maybe(laxBool),
    description: maybe(str),
    format: maybe(format),
  });
  const looseFunction = object({
    name: str,
    type: z.literal("function"),
    defer_loading: maybe(laxBool),
    description: nul(str),
    parameters: nul(z.unknown()),
    strict: nul(laxBool),
  });
  const toolNames = object({ read_only: maybe(laxBool), tool_names: maybe(strings) });
  const network = z.discriminatedUnion("type", [
    object({ type: z.literal("disabled") }),
    object({
      allowed_domains: strings,
      type: z.literal("allowlist"),
      domain_secrets: maybe(z.array(object({ domain: str, name: str, value: str }))),
    }),
  ]);
  const container = { file_ids: maybe(strings), memory_limit: nul(z.enum(["1g", "4g", "16g", "64g"])), network_policy: maybe(network) };
  return z.discriminatedUnion("type", [
    object({
      name: str,
      parameters: isModel ? nul(anyObject) : z.nullable(anyObject),
      strict: isModel ? nul(laxBool) : z.nullable(laxBool),
      type: z.literal("function"),
      defer_loading: maybe(laxBool),
      description: nul(str),
    }),
    custom,
    object({
      description: str,
      name: str,
      tools: z.array(z.discriminatedUnion("type", [looseFunction, custom])),
      type: z.literal("namespace"),
    }),
    object({
      type: z.literal("file_search"),
      vector_store_ids: strings,
      filters: nul(anyObject),
      max_num_results: maybe(laxInt),
      ranking_options: maybe(
        object({
          hybrid_search: maybe(object({ embedding_weight: laxFloat, text_weight: laxFloat })),
          ranker: maybe(z.enum(["auto", "default-2024-11-15"])),
          score_threshold: maybe(laxFloat),
        }),
      ),
    }),
    object({ type: z.literal("computer") }),
    object({
      display_height: laxInt,
      display_width: laxInt,
      environment: z.enum(["windows", "mac", "linux", "ubuntu", "browser"]),
      type: z.literal("computer_use_preview"),
    }),
    object({
      type: z.enum(["web_search", "web_search_2025_08_26"]),
      filters: nul(object({ allowed_domains: nul(strings) })),
      search_context_size: contextSize,
      user_location: nul(object({ ...place, type: maybe(z.literal("approximate")) })),
    }),
    object({
      type: z.enum(["web_search_preview", "web_search_preview_2025_03_11"]),
      search_content_types: maybe(z.array(z.enum(["text", "image"]))),
      search_context_size: contextSize,
      user_location: nul(object({ type: z.literal("approximate"), ...place })),
    }),
    object({
      server_label: str,
      type: z.literal("mcp"),
      allowed_tools: nul(z.union([strings, toolNames])),
      authorization: maybe(str),
      connector_id: maybe(str),
      defer_loading: maybe(laxBool),
      headers: nul(stringMap),
      require_approval: nul(z.union([z.enum(["always", "never"]), object({ always: maybe(toolNames), never: maybe(toolNames) })])),
      server_description: maybe(str),
      server_url: maybe(str),
      tunnel_id: maybe(str),
    }),
    object({ container: z.union([str, object({ type: z.literal("auto"), ...container })]), type: z.literal("code_interpreter") }),
    object({
      type: z.literal("image_generation"),
      action: maybe(z.enum(["generate", "edit", "auto"])),
      background: maybe(z.enum(["transparent", "opaque", "auto"])),
      input_fidelity: nul(z.enum(["high", "low"])),
      input_image_mask: maybe(object({ file_id: maybe(str), image_url: maybe(str) })),
      model: maybe(str),
      moderation: maybe(z.enum(["auto", "low"])),
      output_compression: maybe(laxInt),
      output_format: maybe(z.enum(["png", "webp", "jpeg"])),
      partial_images: maybe(laxInt),
      quality: maybe(z.enum(["low", "medium", "high", "auto"])),
      size: maybe(str),
    }),
    object({ type: z.literal("local_shell") }),
    object({ type: z.literal("shell"), environment: nul(anyObject) }),
    object({
      type: z.literal("tool_search"),
      description: nul(str),
      execution: maybe(z.enum(["server", "client"])),
      parameters: nul(z.unknown()),
    }),
    object({ type: z.literal("apply_patch") }),
  ]);
}

const CHOICE_TYPES = [
  "file_search",
  "web_search_preview",
  "computer",
  "computer_use_preview",
  "computer_use",
  "web_search_preview_2025_03_11",
  "image_generation",
  "code_interpreter",
] as const;

export function toolChoiceSchema(kit: Kit) {
  const { object, nul } = kit;
  return z.union([
    z.enum(["auto", "none", "required"]),
    z.discriminatedUnion("type", [
      object({ name: str, type: z.literal("function") }),
      object({ mode: z.enum(["auto", "required"]), tools: z.array(anyObject), type: z.literal("allowed_tools") }),
      object({ type: z.enum(CHOICE_TYPES) }),
      object({ server_label: str, type: z.literal("mcp"), name: nul(str) }),
      object({ name: str, type: z.literal("custom") }),
      object({ type: z.literal("apply_patch") }),
      object({ type: z.literal("shell") }),
    ]),
  ]);
}
