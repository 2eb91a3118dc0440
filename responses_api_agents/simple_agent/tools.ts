/** One tool call: from what the model wrote to the text that the model reads. A call that goes wrong is a text too; only a hop that breaks is an error. */
import type { Call, Reply } from "@ng-gym/core/http";
import type { FunctionCall } from "@ng-gym/core/protocol";
import { readArguments } from "./arguments.ts";
import { invalidArguments, NO_BODY_HEADERS, UNKNOWN_TOOL } from "./compat-tools.ts";

/** The way to the tools, with the caller's cookies and signal. */
export type SendToTool = (call: Call) => Promise<Reply>;

/** Routes that every resources server has for others than the model. */
const NOT_FOR_THE_MODEL = new Set([
  "seed_session",
  "verify",
  "close_session",
  "reset",
  "step",
  "close",
  "aggregate_metrics",
  "reverify_mode",
  "mcp",
]);

/** May a model ask for this name? It becomes one path segment, and a segment must stay one on every server that decodes it. */
export function isToolName(name: string): boolean {
  return name !== "" && name !== "." && !/[/\\?]|\.\./.test(name) && !NOT_FOR_THE_MODEL.has(name);
}

/**
 * Runs the call; whatever status the tool answers, its body goes to the model as text.
 * @throws GymError when no answer can be had.
 */
export async function callTool(call: FunctionCall, send: SendToTool): Promise<string> {
  const args = readArguments(call.arguments);
  if (!args.ok) return invalidArguments(args.reason);
  if (!isToolName(call.name)) return UNKNOWN_TOOL;
  const path = `/${encodeURIComponent(call.name.toWellFormed())}`;
  const content = args.value === null ? { headers: NO_BODY_HEADERS } : { body: args.value };
  const reply = await send({ kind: "tool", path, ...content });
  return reply.text();
}
