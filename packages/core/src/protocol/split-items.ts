/** Where the prompt ends and the model begins in a list of items. */
import type { Item } from "./item-types.ts";

/** Types that only a model produces, beside assistant messages. */
const MODEL_TYPES: ReadonlySet<string> = new Set([
  "apply_patch_call",
  "code_interpreter_call",
  "computer_call",
  "custom_tool_call",
  "file_search_call",
  "function_call",
  "image_generation_call",
  "local_shell_call",
  "mcp_approval_request",
  "mcp_call",
  "mcp_list_tools",
  "reasoning",
  "shell_call",
  "tool_search_call",
  "web_search_call",
]);

/** Splits at the first item that a model produced; whatever follows it belongs to the model's side. */
export function splitItems(items: readonly Item[]): { prompt: Item[]; model: Item[] } {
  const first = items.findIndex(isFromModel);
  const at = first === -1 ? items.length : first;
  return { prompt: items.slice(0, at), model: items.slice(at) };
}

function isFromModel(item: Item): boolean {
  return item.role === "assistant" || (typeof item.type === "string" && MODEL_TYPES.has(item.type));
}
