/**
 * Token metadata of a training run: three arrays that come together or not at all, and the optional expert routing. On the hot path they are
 * `RawJson` and pass untouched; as plain arrays they are checked, and copied only where an element has to be coerced.
 */
import { z } from "zod";
import { RawJson } from "../json/index.ts";
import { type Form, nullish } from "./fields.ts";
import { coerceFloat, coerceInt, type Refusal } from "./lax.ts";

export const TOKEN_KEYS = ["prompt_token_ids", "generation_token_ids", "generation_log_probs"] as const;
const BUNDLE_KEYS = [...TOKEN_KEYS, "routed_experts"] as const;

/** Token ids or log-probs: numbers, or the text of the array. */
export type TokenArray = number[] | RawJson;

/** True where an object has any of the four token keys. */
export function hasTokenFields(value: object): boolean {
  return BUNDLE_KEYS.some((key) => key in value);
}

/** The required token keys that an object with token fields lacks, sorted. */
export function missingTokenFields(value: object): string[] {
  return TOKEN_KEYS.filter((key) => !(key in value)).sort();
}

export function tokenShape(form: Form) {
  return {
    prompt_token_ids: numbers(coerceInt, Number.isInteger),
    generation_token_ids: numbers(coerceInt, Number.isInteger),
    generation_log_probs: numbers(coerceFloat, (value) => typeof value === "number"),
    routed_experts: nullish(form, routedExperts),
  };
}

function numbers(coerce: (value: unknown) => number | Refusal, isFine: (value: unknown) => boolean): z.ZodType<TokenArray> {
  return z.unknown().transform((value, ctx): TokenArray => {
    if (value instanceof RawJson) return value;
    if (!Array.isArray(value)) {
      if (value === undefined) ctx.addIssue({ code: "invalid_type", expected: "nonoptional", input: value });
      else ctx.addIssue({ code: "custom", message: "Input should be a valid list", params: { type: "list_type" } });
      return z.NEVER;
    }
    if (value.every(isFine)) return value;
    const coerced = value.map(coerce);
    const wrong = coerced.findIndex((each) => typeof each !== "number");
    if (wrong === -1) return coerced as number[];
    const refusal = coerced[wrong] as Refusal;
    ctx.addIssue({ code: "custom", message: refusal.message, path: [wrong], params: { type: refusal.refused } });
    return z.NEVER;
  }) as unknown as z.ZodType<TokenArray>;
}

/** Nested integer lists `[tokens][layers][top k]`, or one opaque text. */
const routedExperts = z.custom<unknown[] | string | RawJson>(
  (value) => typeof value === "string" || value instanceof RawJson || isIntCube(value),
  { error: "Input should be a valid string or nested lists of integers", params: { type: "list_type" } },
);

function isIntCube(value: unknown): boolean {
  return Array.isArray(value) && value.every((layers) => Array.isArray(layers) && layers.every(isIntList));
}

function isIntList(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => Number.isInteger(each));
}
