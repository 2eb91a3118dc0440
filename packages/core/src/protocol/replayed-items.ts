/** Hosted items as a caller may replay them: ids and statuses may be left out. */
import { z } from "zod";
import { anyObject, type Kit } from "./fields.ts";
import { sharedItems } from "./hosted-items.ts";
import { contentPart, execution, patchOperation, safetyCheck, screenshot, shellAction, shellOutput } from "./hosted-parts.ts";
import { toolSchema } from "./hosted-tools.ts";
import { laxBool, laxInt } from "./lax.ts";
import { itemStatus } from "./own-items.ts";

const str = z.string();

export function replayedItems(kit: Kit) {
  const { object, nul } = kit;
  return {
    ...sharedItems(kit),
    computer_call_output: object({
      call_id: str,
      output: screenshot(kit),
      type: z.literal("computer_call_output"),
      id: nul(str),
      acknowledged_safety_checks: nul(z.array(safetyCheck(kit))),
      status: nul(itemStatus),
    }),
    custom_tool_call_output: object({
      call_id: str,
      output: z.union([str, z.array(contentPart(kit))]),
      type: z.literal("custom_tool_call_output"),
      id: nul(str),
    }),
    mcp_approval_response: object({
      approval_request_id: str,
      approve: laxBool,
      type: z.literal("mcp_approval_response"),
      id: nul(str),
      reason: nul(str),
    }),
    apply_patch_call: object({
      call_id: str,
      operation: patchOperation(kit),
      status: z.enum(["in_progress", "completed"]),
      type: z.literal("apply_patch_call"),
      id: nul(str),
    }),
    apply_patch_call_output: object({
      call_id: str,
      status: z.enum(["completed", "failed"]),
      type: z.literal("apply_patch_call_output"),
      id: nul(str),
      output: nul(str),
    }),
    shell_call: object({
      action: shellAction(kit),
      call_id: str,
      type: z.literal("shell_call"),
      id: nul(str),
      environment: nul(anyObject),
      status: nul(itemStatus),
    }),
    shell_call_output: object({
      call_id: str,
      output: z.array(shellOutput(kit, {})),
      type: z.literal("shell_call_output"),
      id: nul(str),
      max_output_length: nul(laxInt),
      status: nul(itemStatus),
    }),
    tool_search_call: object({
      arguments: z.unknown(),
      type: z.literal("tool_search_call"),
      id: nul(str),
      call_id: nul(str),
      execution: nul(execution),
      status: nul(itemStatus),
    }),
    tool_search_output: object({
      tools: z.array(toolSchema(kit)),
      type: z.literal("tool_search_output"),
      id: nul(str),
      call_id: nul(str),
      execution: nul(execution),
      status: nul(itemStatus),
    }),
    compaction: object({ encrypted_content: str, type: z.literal("compaction"), id: nul(str) }),
    compaction_trigger: object({ type: z.literal("compaction_trigger") }),
    additional_tools: object({
      role: z.literal("developer"),
      tools: z.array(toolSchema(kit)),
      type: z.literal("additional_tools"),
      id: nul(str),
    }),
  };
}
