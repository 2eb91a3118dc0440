/** What the model reads: the texts of a request, whichever dialect it came in. Lenient: what is not text is passed over. */
import { isObject } from "@ng-gym/core/protocol";

export interface Conversation {
  /** Text of the last user turn. */
  question: string;
  /** Everything said, in order, as one text: what a draw depends on. */
  all: string;
  /** Results of the tools called since the last user turn, in order. */
  toolOutputs: string[];
  /** Rounds of tool calls since the last user turn. */
  toolRounds: number;
}

/** Reads `input` of a Responses request, or `messages` of a chat request. */
export function conversationText(input: unknown): Conversation {
  const items = typeof input === "string" ? [{ role: "user", content: input }] : Array.isArray(input) ? input : [];
  const conversation: Conversation = { question: "", all: "", toolOutputs: [], toolRounds: 0 };
  const all: string[] = [];
  let calling = false;
  for (const item of items as unknown[]) {
    if (!isObject(item)) continue;
    const isCall = item.type === "function_call" || (Array.isArray(item.tool_calls) && item.tool_calls.length > 0);
    if (isCall && !calling) conversation.toolRounds++;
    calling = isCall;
    if (item.type === "function_call_output" || item.role === "tool") {
      const output = textOf(item.type === "function_call_output" ? item.output : item.content);
      conversation.toolOutputs.push(output);
      all.push(output);
    } else if (isCall) {
      all.push(JSON.stringify(item.tool_calls ?? [item.name, item.arguments]));
    } else if (typeof item.role === "string") {
      const text = textOf(item.content);
      all.push(`${item.role}: ${text}`);
      if (item.role === "user") Object.assign(conversation, { question: text, toolOutputs: [], toolRounds: 0 });
    }
  }
  conversation.all = all.join("\n");
  return conversation;
}

/** The text of a content: a string, or the text parts of a list. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part) => (isObject(part) && typeof part.text === "string" ? part.text : ""))
    .filter((text) => text !== "")
    .join("\n");
}
