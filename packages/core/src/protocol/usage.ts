/** Token usage of a Response and its sum over the calls of a rollout. */
import { z } from "zod";
import { FULL_MODEL } from "./fields.ts";
import { laxInt } from "./lax.ts";

const { object } = FULL_MODEL;

/** All five keys are required; a detail count may be null, which means unknown. Other keys are kept. */
export const usageSchema: z.ZodType<Usage> = object({
  input_tokens: laxInt,
  input_tokens_details: object({ cached_tokens: z.nullable(laxInt) }),
  output_tokens: laxInt,
  output_tokens_details: object({ reasoning_tokens: z.nullable(laxInt) }),
  total_tokens: laxInt,
}) as unknown as z.ZodType<Usage>;

export interface Usage {
  input_tokens: number;
  input_tokens_details: { cached_tokens: number | null; [key: string]: unknown };
  output_tokens: number;
  output_tokens_details: { reasoning_tokens: number | null; [key: string]: unknown };
  total_tokens: number;
  [key: string]: unknown;
}

/**
 * The sum of two usages; neither is changed. Null adds nothing. A detail count is known only if it is known on both sides, and a
 * missing detail object stays missing. Other keys are those of the first usage.
 */
export function addUsage(total: Usage | null | undefined, addend: Usage | null | undefined): Usage | null {
  if (addend === null || addend === undefined) return total ?? null;
  if (total === null || total === undefined) return structuredClone(addend);
  return {
    ...total,
    input_tokens: total.input_tokens + addend.input_tokens,
    input_tokens_details: addDetail(total.input_tokens_details, addend.input_tokens_details, "cached_tokens"),
    output_tokens: total.output_tokens + addend.output_tokens,
    output_tokens_details: addDetail(total.output_tokens_details, addend.output_tokens_details, "reasoning_tokens"),
    total_tokens: total.total_tokens + addend.total_tokens,
  };
}

function addDetail<K extends string>(total: Record<K, number | null>, addend: Record<K, number | null>, key: K): Record<K, number | null> {
  // Details that a loosely read usage lacks stay as they are: there is no count to add to.
  if (!total) return total;
  const [left, right] = [total[key], addend?.[key]];
  return { ...total, [key]: typeof left === "number" && typeof right === "number" ? left + right : null };
}
