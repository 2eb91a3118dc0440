/** Parts that hosted items are made of. */
import { z } from "zod";
import type { Kit } from "./fields.ts";
import { laxInt } from "./lax.ts";

const str = z.string();
const strings = z.array(str);

export const execution: z.ZodEnum<{ server: "server"; client: "client" }> = z.enum(["server", "client"]);

export function safetyCheck({ object, nul }: Kit) {
  return object({ id: str, code: nul(str), message: nul(str) });
}

export function screenshot({ object, nul }: Kit) {
  return object({ type: z.literal("computer_screenshot"), file_id: nul(str), image_url: nul(str) });
}

/** A content part of a tool's output, as a model. */
export function contentPart({ object, nul }: Kit) {
  return z.discriminatedUnion("type", [
    object({ text: str, type: z.literal("input_text") }),
    object({
      detail: nul(z.enum(["low", "high", "auto", "original"])),
      type: z.literal("input_image"),
      file_id: nul(str),
      image_url: nul(str),
    }),
    object({
      type: z.literal("input_file"),
      detail: nul(z.enum(["high", "low"])),
      file_data: nul(str),
      file_id: nul(str),
      file_url: nul(str),
      filename: nul(str),
    }),
  ]);
}

export function computerAction({ object, nul }: Kit) {
  const point = { x: laxInt, y: laxInt };
  const keys = { keys: nul(strings) };
  return z.discriminatedUnion("type", [
    object({ button: z.enum(["left", "right", "wheel", "back", "forward"]), type: z.literal("click"), ...point, ...keys }),
    object({ ...keys, type: z.literal("double_click"), ...point }),
    object({ path: z.array(object(point)), type: z.literal("drag"), ...keys }),
    object({ keys: strings, type: z.literal("keypress") }),
    object({ type: z.literal("move"), ...point, ...keys }),
    object({ type: z.literal("screenshot") }),
    object({ scroll_x: laxInt, scroll_y: laxInt, type: z.literal("scroll"), ...point, ...keys }),
    object({ text: str, type: z.literal("type") }),
    object({ type: z.literal("wait") }),
  ]);
}

export function patchOperation({ object }: Kit) {
  return z.discriminatedUnion("type", [
    object({ diff: str, path: str, type: z.literal("create_file") }),
    object({ path: str, type: z.literal("delete_file") }),
    object({ diff: str, path: str, type: z.literal("update_file") }),
  ]);
}

export function shellAction({ object, nul }: Kit) {
  return object({ commands: strings, max_output_length: nul(laxInt), timeout_ms: nul(laxInt) });
}

export function shellOutput<S extends Record<string, z.ZodType>>({ object }: Kit, extra: S) {
  const outcome = z.discriminatedUnion("type", [
    object({ type: z.literal("timeout") }),
    object({ exit_code: laxInt, type: z.literal("exit") }),
  ]);
  return object({ outcome, stderr: str, stdout: str, ...extra });
}
