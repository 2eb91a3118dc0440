/** Hosted items as a provider answers them: with ids, statuses and who made them. */
import { z } from "zod";
import { anyObject, type Kit } from "./fields.ts";
import { sharedItems } from "./hosted-items.ts";
import { contentPart, execution, patchOperation, safetyCheck, screenshot, shellAction, shellOutput } from "./hosted-parts.ts";
import { toolSchema } from "./hosted-tools.ts";
import { laxBool, laxInt } from "./lax.ts";
import { itemStatus } from "./own-items.ts";

const str = z.string();

export function answeredItems(kit: Kit) {
  const { object, nul } = kit;
  const createdBy = { created_by: nul(str) };
  return {
    ...sharedItems(kit),
    function_call_output: object({
      id: str,
      call_id: str,
      output: z.union([str, z.array(contentPart(kit))]),
      status: itemStatus,
      type: z.literal("function_call_output"),
      ...createdBy,
    }),
    computer_call_output: object({
      id: str,
      call_id: str,
      output: screenshot(kit),
      status: z.enum(["completed", "incomplete", "failed", "in_progress"]),
      type: z.literal("computer_call_output"),
      acknowledged_safety_checks: nul(z.array(safetyCheck(kit))),
      ...createdBy,
    }),
    custom_tool_call_output: object({
      call_id: str,
      output: z.union([str, z.array(contentPart(kit))]),
      type: z.literal("custom_tool_call_output"),
      id: str,
      status: itemStatus,
      ...createdBy,
    }),
    mcp_approval_response: object({
      id: str,
      approval_request_id: str,
      approve: laxBool,
      type: z.literal("mcp_approval_response"),
      reason: nul(str),
    }),
    apply_patch_call: object({
      id: str,
      call_id: str,
      operation: patchOperation(kit),
      status: z.enum(["in_progress", "completed"]),
      type: z.literal("apply_patch_call"),
      ...createdBy,
    }),
    apply_patch_call_output: object({
      id: str,
      call_id: str,
      status: z.enum(["completed", "failed"]),
      type: z.literal("apply_patch_call_output"),
      ...createdBy,
      output: nul(str),
    }),
    shell_call: object({
      id: str,
      action: shellAction(kit),
      call_id: str,
      environment: nul(anyObject),
      status: itemStatus,
      type: z.literal("shell_call"),
      ...createdBy,
    }),
    shell_call_output: object({
      id: str,
      call_id: str,
      max_output_length: nul(laxInt),
      output: z.array(shellOutput(kit, createdBy)),
      status: itemStatus,
      type: z.literal("shell_call_output"),
      ...createdBy,
    }),
    tool_search_call: object({
      id: str,
      arguments: z.unknown(),
      call_id: nul(str),
      execution,
      status: itemStatus,
      type: z.literal("tool_search_call"),
      ...createdBy,
    }),
    tool_search_output: object({
      id: str,
      call_id: nul(str),
      execution,
      status: itemStatus,
      tools: z.array(toolSchema(kit)),
      type: z.literal("tool_search_output"),
      ...createdBy,
    }),
    compaction: object({ id: str, encrypted_content: str, type: z.literal("compaction"), ...createdBy }),
    additional_tools: object({
      id: str,
      role: z.enum(["unknown", "user", "assistant", "system", "critic", "discriminator", "developer", "tool"]),
      tools: z.array(toolSchema(kit)),
      type: z.literal("additional_tools"),
    }),
  };
}
