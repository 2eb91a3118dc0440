/** One tool call: from what the model wrote to the text that the model reads. A call that goes wrong is a text too; only a hop that breaks is an error. */
import { type Call, failureFacts, type Reply, raiseForStatus } from "@ng-gym/core/http";
import type { FunctionCall } from "@ng-gym/core/protocol";
import { readArguments } from "./arguments.ts";
import { invalidArguments, NO_BODY_HEADERS, UNKNOWN_TOOL } from "./compat-tools.ts";

export interface ToolDesk {
  /** Whose tools they are: named in errors. */
  server: string;
  /** The way to them, with the caller's cookies and signal. */
  send: (call: Call) => Promise<Reply>;
}

/** Ends the failure kind of what a handler threw by itself. */
const THROWN = ":internal_error";

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
 * Runs the call; whatever status the tool itself answers, its body goes to the model as text: also that of an error which the tool throws. What
 * broke is another matter where the tool's server says so (a service behind it, its queue, a session that is lost): nothing that a model could act
 * on, and a reward for what it makes of it would measure our fault.
 * @throws GymError when no answer can be had, or none of the tool's own.
 */
export async function callTool(call: FunctionCall, { server, send }: ToolDesk): Promise<string> {
  const args = readArguments(call.arguments);
  if (!args.ok) return invalidArguments(args.reason);
  if (!isToolName(call.name)) return UNKNOWN_TOOL;
  const path = `/${encodeURIComponent(call.name.toWellFormed())}`;
  const content = args.value === null ? { headers: NO_BODY_HEADERS } : { body: args.value };
  const reply = await send({ kind: "tool", path, ...content });
  const broken = failureFacts(reply.headers);
  if (broken !== undefined && !broken.failure_kind.endsWith(THROWN)) raiseForStatus(reply, server, path);
  return reply.text();
}
