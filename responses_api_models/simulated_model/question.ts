/** A request of either dialect as the model takes it in. */
import { isObject } from "@ng-gym/core/protocol";
import { conversationText } from "./conversation.ts";
import type { FunctionTool, Question } from "./think.ts";

type Request = Readonly<Record<string, unknown>>;

export function responsesQuestion(request: Request): Question {
  const format = isObject(request.text) && isObject(request.text.format) ? request.text.format : undefined;
  return {
    conversation: conversationText(request.input),
    tools: functionTools(request.tools, (tool) => tool),
    toolChoice: request.tool_choice,
    outputSchema: format?.type === "json_schema" ? format.schema : undefined,
  };
}

export function chatQuestion(request: Request): Question {
  const format =
    isObject(request.response_format) && isObject(request.response_format.json_schema) ? request.response_format.json_schema : undefined;
  return {
    conversation: conversationText(request.messages),
    tools: functionTools(request.tools, (tool) => tool.function),
    toolChoice: request.tool_choice,
    outputSchema: format?.schema,
  };
}

function functionTools(tools: unknown, inner: (tool: Record<string, unknown>) => unknown): FunctionTool[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool) => {
    const described = isObject(tool) && tool.type === "function" ? inner(tool) : undefined;
    return isObject(described) && typeof described.name === "string" ? [{ name: described.name, parameters: described.parameters }] : [];
  });
}
