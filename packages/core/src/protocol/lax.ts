/**
 * Scalars with the lax coercion of the reference's validator: `"5"` -> 5, `5.0` -> 5, `true` -> 1, `"yes"` -> true; a number is never a string.
 * Each is a zod schema, so that row schemas of servers can use them (`z.object({ count: laxInt })`).
 */
import { z } from "zod";

/** Longest text that is tried as a number. */
const NUMBER_TEXT_LIMIT_CHARS = 4_300;
const INT_TEXT = /^[+-]?\d+(?:_\d+)*(?:\.0*)?$/;
const FLOAT_TEXT = /^[+-]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+)?$/;
const TRUE_TEXTS = new Set(["true", "t", "yes", "y", "on", "1"]);
const FALSE_TEXTS = new Set(["false", "f", "no", "n", "off", "0"]);

/** Result of a coercion that failed: the issue's type and text. */
export interface Refusal {
  refused: string;
  message: string;
}

export function coerceInt(value: unknown): number | Refusal {
  if (typeof value === "number") {
    if (Number.isInteger(value)) return value;
    return Number.isFinite(value)
      ? { refused: "int_from_float", message: "Input should be a valid integer, got a number with a fractional part" }
      : { refused: "finite_number", message: "Input should be a finite number" };
  }
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "string") return { refused: "int_type", message: "Input should be a valid integer" };
  const text = value.trim();
  if (text.length <= NUMBER_TEXT_LIMIT_CHARS && INT_TEXT.test(text)) return Number(text.replaceAll("_", ""));
  return { refused: "int_parsing", message: "Input should be a valid integer, unable to parse string as an integer" };
}

export function coerceFloat(value: unknown): number | Refusal {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "string") return { refused: "float_type", message: "Input should be a valid number" };
  const text = value.trim();
  if (text.length <= NUMBER_TEXT_LIMIT_CHARS && FLOAT_TEXT.test(text)) return Number(text.replaceAll("_", ""));
  const word = /^([+-]?)(inf|infinity|nan)$/i.exec(text);
  if (word !== null) return word[2]?.toLowerCase() === "nan" ? Number.NaN : word[1] === "-" ? -Infinity : Infinity;
  return { refused: "float_parsing", message: "Input should be a valid number, unable to parse string as a number" };
}

export function coerceBool(value: unknown): boolean | Refusal {
  if (typeof value === "boolean") return value;
  if (value === 0 || value === 1) return value === 1;
  if (typeof value === "string") {
    const text = value.trim().toLowerCase();
    if (TRUE_TEXTS.has(text)) return true;
    if (FALSE_TEXTS.has(text)) return false;
  }
  if (typeof value === "string" || typeof value === "number") {
    return { refused: "bool_parsing", message: "Input should be a valid boolean, unable to interpret input" };
  }
  return { refused: "bool_type", message: "Input should be a valid boolean" };
}

function isRefusal(value: unknown): value is Refusal {
  return typeof value === "object" && value !== null && "refused" in value;
}

/** Turns a coercion into a schema. An absent value is reported as missing. */
export function laxSchema<T extends number | boolean>(coerce: (value: unknown) => T | Refusal): z.ZodType<T> {
  return z.unknown().transform((value, ctx) => {
    const result = coerce(value);
    if (!isRefusal(result)) return result;
    if (value === undefined) ctx.addIssue({ code: "invalid_type", expected: "nonoptional", input: undefined });
    else ctx.addIssue({ code: "custom", message: result.message, input: value, params: { type: result.refused } });
    return z.NEVER;
  }) as unknown as z.ZodType<T>;
}

/** Integer: an integral number, a boolean, or the text of an integer. */
export const laxInt: z.ZodType<number> = laxSchema(coerceInt);
/** Number: a number, a boolean, or the text of a number. */
export const laxFloat: z.ZodType<number> = laxSchema(coerceFloat);
/** Boolean: a boolean, 0, 1, or one of true/t/yes/y/on/1 and false/f/no/n/off/0 in any case. */
export const laxBool: z.ZodType<boolean> = laxSchema(coerceBool);
