/**
 * One description, several schemas. The reference reads the same object by three rules of unknown keys and in two forms; a `Kit` holds the
 * choice, and a description is a function of it:
 *
 * - parameters (what a caller asks for): unknown keys are refused, absent keys stay absent;
 * - models (what a provider answers): unknown keys are kept; in the full form absent keys become null.
 */
import { z } from "zod";

/** `sent`: only the keys that were there. `full`: every key. */
export type Form = "sent" | "full";

type Shape = Readonly<Record<string, z.ZodType>>;
/** May be absent or null. In the full form an absent key is written as null. */
export type Nullish<T extends z.ZodType> = z.ZodOptional<z.ZodNullable<T>>;

export interface Kit {
  form: Form;
  object: <S extends Shape>(shape: S) => z.ZodObject<S>;
  /** A key that may be absent but, among parameters, not null. */
  maybe: <T extends z.ZodType>(type: T) => Nullish<T>;
  /** A key that may be absent or null. */
  nul: <T extends z.ZodType>(type: T) => Nullish<T>;
}

export const PARAMS: Kit = {
  form: "sent",
  object: (shape) => z.strictObject(shape) as never,
  maybe: (type) => type.optional() as never,
  nul: (type) => nullish("sent", type),
};
export const SENT_MODEL: Kit = modelKit("sent");
export const FULL_MODEL: Kit = modelKit("full");

export function modelKit(form: Form): Kit {
  const nul: Kit["nul"] = (type) => nullish(form, type);
  return { form, object: (shape) => z.looseObject(shape) as never, maybe: nul, nul };
}

export function nullish<T extends z.ZodType>(form: Form, type: T): Nullish<T> {
  return (form === "full" ? z.nullable(type).default(null as never) : z.nullable(type).optional()) as unknown as Nullish<T>;
}

/** A key with a default: written in the full form, absent in the sent form. */
export function withDefault<T extends z.ZodType>(form: Form, type: T, value: z.output<T>): z.ZodOptional<T> {
  return (form === "full" ? type.default(value as never) : type.optional()) as unknown as z.ZodOptional<T>;
}

/** An object of any content, passed by reference. */
export const anyObject: z.ZodType<Record<string, unknown>> = z.custom<Record<string, unknown>>((value) => isObject(value), {
  error: "Input should be a valid dictionary",
  params: { type: "dict_type" },
});

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Why no schema fits a value. */
export interface NoChoice {
  type: string;
  message: string;
  path?: (string | number)[];
}

/** A union whose member is chosen by looking at the value: one member runs, and the issues are that member's. */
export function pick<T>(choose: (value: unknown) => z.ZodType<T> | NoChoice): z.ZodType<T> {
  return z.unknown().transform((value, ctx): T => {
    const chosen = choose(value);
    if (!("safeParse" in chosen)) {
      if (value === undefined) ctx.addIssue({ code: "invalid_type", expected: "nonoptional", input: value });
      else ctx.addIssue({ code: "custom", message: chosen.message, input: value, path: chosen.path ?? [], params: { type: chosen.type } });
      return z.NEVER;
    }
    const result = chosen.safeParse(value);
    if (result.success) return result.data;
    for (const issue of result.error.issues) ctx.issues.push({ ...issue, input: undefined } as never);
    return z.NEVER;
  }) as unknown as z.ZodType<T>;
}

/** A text, or a list of `item`. */
export function textOrList<T extends z.ZodType>(item: T): z.ZodType<string | z.output<T>[]> {
  const list = z.array(item);
  const text = z.string();
  return pick<string | z.output<T>[]>((value) => {
    if (typeof value === "string") return text as never;
    if (Array.isArray(value)) return list as never;
    return { type: "list_type", message: "Input should be a valid string or list" };
  });
}
