/**
 * What a parser answers, in the shape that FastAPI gives to a 422: `{"detail": FieldIssue[]}`.
 */
import type { z } from "zod";
import { issuesOf } from "./zod-issues.ts";

export interface FieldIssue {
  /** Name of the rule that failed: `missing`, `extra_forbidden`, `string_type`, `list_type`, `json_invalid`, ... */
  type: string;
  /** Place in the request; the first element is `body`. */
  loc: (string | number)[];
  msg: string;
  /** The refused value. */
  input?: unknown;
  ctx?: Record<string, unknown>;
}

export type Validation<T> = { ok: true; value: T } | { ok: false; issues: FieldIssue[] };

/** Reads a body of unknown shape. Never throws and never changes what it was given. */
export type Parser<T> = (body: unknown) => Validation<T>;

/** Turns a zod schema into a parser. `loc` is put before every place (default `["body"]`). */
export function fromZod<T>(schema: z.ZodType<T>, loc: readonly (string | number)[] = ["body"]): Parser<T> {
  return (body) => {
    const result = schema.safeParse(body);
    return result.success ? { ok: true, value: result.data } : { ok: false, issues: issuesOf(result.error, body, loc) };
  };
}

/** The issue of a body that is not JSON; `position` counts characters. */
export function jsonInvalidIssue(position: number, reason: string): FieldIssue {
  return { type: "json_invalid", loc: ["body", position], msg: "JSON decode error", input: {}, ctx: { error: reason } };
}

/** The issue of a request without a body. */
export function missingBodyIssue(): FieldIssue {
  return { type: "missing", loc: ["body"], msg: "Field required", input: null };
}

/** The issue of a rule that is no schema, at a place below the body. */
export function valueIssue(path: readonly (string | number)[], reason: string, input?: unknown): FieldIssue {
  return { type: "value_error", loc: ["body", ...path], msg: `Value error, ${reason}`, input, ctx: { error: {} } };
}
