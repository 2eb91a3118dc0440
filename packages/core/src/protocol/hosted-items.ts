/**
 * Items that belong to a provider's own tools and read the same in a request and in a Response (search, computer use, shell, MCP). Unknown
 * keys are kept. `replayed-items.ts` and `answered-items.ts` hold those that differ: a provider's answer must have `id` and `status`.
 */
import { z } from "zod";
import { anyObject, type Kit } from "./fields.ts";
import { computerAction, safetyCheck } from "./hosted-parts.ts";
import { laxFloat, laxInt } from "./lax.ts";
import { itemStatus } from "./own-items.ts";

const str = z.string();
const strings = z.array(str);

/** Items that read the same in both directions, by type. */
export function sharedItems(kit: Kit) {
  const { object, nul } = kit;
  return {
    web_search_call: object({
      id: str,
      action: z.discriminatedUnion("type", [
        object({
          type: z.literal("search"),
          queries: nul(strings),
          query: nul(str),
          sources: nul(z.array(object({ type: z.literal("url"), url: str }))),
        }),
        object({ type: z.literal("open_page"), url: nul(str) }),
        object({ pattern: str, type: z.literal("find_in_page"), url: str }),
      ]),
      status: z.enum(["in_progress", "searching", "completed", "failed"]),
      type: z.literal("web_search_call"),
    }),
    file_search_call: object({
      id: str,
      queries: strings,
      status: z.enum(["in_progress", "searching", "completed", "incomplete", "failed"]),
      type: z.literal("file_search_call"),
      results: nul(
        z.array(object({ attributes: nul(anyObject), file_id: nul(str), filename: nul(str), score: nul(laxFloat), text: nul(str) })),
      ),
    }),
    computer_call: object({
      id: str,
      call_id: str,
      pending_safety_checks: z.array(safetyCheck(kit)),
      status: itemStatus,
      type: z.literal("computer_call"),
      action: nul(computerAction(kit)),
      actions: nul(z.array(computerAction(kit))),
    }),
    image_generation_call: object({
      id: str,
      result: nul(str),
      status: z.enum(["in_progress", "completed", "generating", "failed"]),
      type: z.literal("image_generation_call"),
    }),
    code_interpreter_call: object({
      id: str,
      code: nul(str),
      container_id: str,
      outputs: nul(
        z.array(
          z.discriminatedUnion("type", [object({ logs: str, type: z.literal("logs") }), object({ type: z.literal("image"), url: str })]),
        ),
      ),
      status: z.enum(["in_progress", "completed", "incomplete", "interpreting", "failed"]),
      type: z.literal("code_interpreter_call"),
    }),
    local_shell_call: object({
      id: str,
      action: object({
        command: strings,
        env: z.record(str, str),
        type: z.literal("exec"),
        timeout_ms: nul(laxInt),
        user: nul(str),
        working_directory: nul(str),
      }),
      call_id: str,
      status: itemStatus,
      type: z.literal("local_shell_call"),
    }),
    local_shell_call_output: object({ id: str, output: str, type: z.literal("local_shell_call_output"), status: nul(itemStatus) }),
    custom_tool_call: object({
      call_id: str,
      input: str,
      name: str,
      type: z.literal("custom_tool_call"),
      id: nul(str),
      namespace: nul(str),
    }),
    mcp_call: object({
      id: nul(str),
      arguments: str,
      name: str,
      server_label: nul(str),
      type: z.literal("mcp_call"),
      approval_request_id: nul(str),
      error: nul(str),
      output: nul(str),
      status: nul(str),
    }),
    mcp_list_tools: object({
      id: nul(str),
      server_label: nul(str),
      tools: z.array(z.unknown()),
      type: z.literal("mcp_list_tools"),
      error: nul(str),
    }),
    mcp_approval_request: object({
      id: nul(str),
      arguments: str,
      name: str,
      server_label: nul(str),
      type: z.literal("mcp_approval_request"),
    }),
  };
}
