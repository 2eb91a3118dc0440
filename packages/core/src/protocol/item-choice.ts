/**
 * Which schema an item is read with. The tag `type` decides; a message is told apart by role, content and status. An input item without a tag
 * is guessed from its keys; what fits nothing is kept as it is, so that turns in the shape of the chat dialect get through to a converter.
 */
import type { z } from "zod";
import { answeredItems } from "./answered-items.ts";
import { type Form, isObject, modelKit, type NoChoice, pick } from "./fields.ts";
import { anyItem, type Item } from "./item-types.ts";
import { itemStatus, type OwnItems, ownItems } from "./own-items.ts";
import { replayedItems } from "./replayed-items.ts";
import { hasTokenFields, missingTokenFields } from "./token-fields.ts";

type Choice = z.ZodType<Item> | NoChoice;
type Hosted = Readonly<Record<string, z.ZodType>>;

const ROLES: ReadonlySet<unknown> = new Set(["user", "assistant", "system", "developer"]);
/** Part types of the chat dialect that the Responses dialect does not have. */
const CHAT_PARTS: ReadonlySet<unknown> = new Set(["text", "image_url", "input_audio", "file", "video_url", "audio_url"]);

/** An item of a request's `input`. */
export function inputItem(form: Form): z.ZodType<Item> {
  const own = ownItems(form);
  const hosted: Hosted = replayedItems(modelKit(form));
  return pick((item) => {
    if (!isObject(item)) return noItem();
    if (!("type" in item)) return untyped(item, own, hosted);
    return chosenByTag(item, own, hosted);
  });
}

/** An item of a Response's `output`. */
export function outputItem(): z.ZodType<Item> {
  const own = ownItems("full");
  const hosted: Hosted = answeredItems(modelKit("full"));
  return pick((item) => {
    if (!isObject(item)) return noItem();
    if (!("type" in item)) return { type: "value_error", message: "Value error, output items must include a type" };
    if (item.type === "function_call_output" && !(typeof item.id === "string" && isStatus(item.status))) return own.callOutput;
    return chosenByTag(item, own, hosted);
  });
}

function chosenByTag(item: Record<string, unknown>, own: OwnItems, hosted: Hosted): Choice {
  const tag = item.type;
  if (tag === "message") return message(item, own);
  if (tag === "function_call") return withTokens(item, "call", own);
  if (tag === "reasoning") return withTokens(item, "reasoning", own);
  if (typeof tag === "string" && Object.hasOwn(hosted, tag)) return hosted[tag] as z.ZodType<Item>;
  if (tag === "function_call_output") return own.callOutput;
  return { type: "union_tag_invalid", message: "Input tag is not one of the item types" };
}

function message(item: Record<string, unknown>, own: OwnItems): Choice {
  const { role, content } = item;
  if (!Array.isArray(content)) return withTokens(item, "easy", own);
  if (role === "assistant" || role === undefined) {
    return withTokens(item, "id" in item || content.some(isOutputPart) ? "output" : "easy", own);
  }
  return withTokens(item, isStatus(item.status) ? "input" : "easy", own);
}

/** The plain schema, or the one with token fields where the item has any: a bundle is complete or the item is refused. */
function withTokens(item: Record<string, unknown>, name: keyof OwnItems["tokens"], own: OwnItems): Choice {
  if (!hasTokenFields(item)) return own[name] as z.ZodType<Item>;
  const missing = missingTokenFields(item);
  if (missing.length === 0) return own.tokens[name] as z.ZodType<Item>;
  return { type: "value_error", message: `Value error, token metadata must be complete; missing: ${missing.join(", ")}` };
}

function untyped(item: Record<string, unknown>, own: OwnItems, hosted: Hosted): Choice {
  if (isChatShaped(item)) return anyItem;
  if ("role" in item) {
    const isMessage = ROLES.has(item.role) && (typeof item.content === "string" || Array.isArray(item.content));
    return isMessage ? message(item, own) : anyItem;
  }
  if ("name" in item && "arguments" in item) {
    return "call_id" in item ? withTokens(item, "call", own) : untagged(hosted.mcp_call as z.ZodObject);
  }
  if ("call_id" in item && "output" in item) return own.callOutput;
  if ("id" in item && "summary" in item) return withTokens(item, "reasoning", own);
  if ("id" in item && Array.isArray(item.content)) return message(item, own);
  return anyItem;
}

/**
 * True for an untagged turn in the shape of the chat dialect (tool calls, a tool's answer, chat parts). It is kept whole; converters read it.
 */
export function isChatShaped(item: unknown): boolean {
  if (!isObject(item) || "type" in item || !("role" in item)) return false;
  if (item.role === "tool" || Array.isArray(item.tool_calls)) return true;
  return Array.isArray(item.content) && item.content.some((part) => isObject(part) && CHAT_PARTS.has(part.type));
}

const withoutTag = new WeakMap<z.ZodObject, z.ZodType<Item>>();
/** The schema of a tagged item for one that came without its tag. */
function untagged(schema: z.ZodObject): z.ZodType<Item> {
  const known = withoutTag.get(schema) ?? (schema.partial({ type: true }) as unknown as z.ZodType<Item>);
  withoutTag.set(schema, known);
  return known;
}

function isStatus(value: unknown): boolean {
  return itemStatus.safeParse(value).success;
}

function isOutputPart(part: unknown): boolean {
  return isObject(part) && (part.type === "output_text" || part.type === "refusal");
}

function noItem(): NoChoice {
  return { type: "model_attributes_type", message: "Input should be a valid dictionary or object to extract fields from" };
}
