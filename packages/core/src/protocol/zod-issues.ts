/** Zod's issues in the words of FastAPI: names of rules, places, and one issue a refused key. */
import type { z } from "zod";
import type { FieldIssue } from "./validation.ts";

/** Most issues that one answer lists. */
export const ISSUES_LIMIT = 100;

type Path = readonly (string | number)[];
type ZodIssue = z.core.$ZodIssue;

export function issuesOf(error: z.ZodError, body: unknown, loc: Path): FieldIssue[] {
  const found: FieldIssue[] = [];
  for (const issue of error.issues) collect(issue, { body, loc, path: [] }, found);
  return found;
}

interface Place {
  body: unknown;
  loc: Path;
  path: Path;
}

function collect(issue: ZodIssue, place: Place, found: FieldIssue[]): void {
  if (found.length >= ISSUES_LIMIT) return;
  const path = [...place.path, ...(issue.path as (string | number)[])];
  if (issue.code === "unrecognized_keys") {
    for (const key of issue.keys) add("extra_forbidden", [...path, key], "Extra inputs are not permitted");
    return;
  }
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    for (const option of issue.errors) for (const inner of option) collect(inner, { ...place, path }, found);
    return;
  }
  const { type, msg, ctx } = nameOf(issue, valueAt(place.body, path));
  add(type, path, msg, ctx);

  function add(type: string, at: Path, msg: string, ctx?: Record<string, unknown>): void {
    if (found.some((other) => other.type === type && sameLoc(other.loc, place.loc, at))) return;
    // A missing field has no value of its own: FastAPI shows the object that lacks it.
    const input = valueAt(place.body, type === "missing" ? at.slice(0, -1) : at);
    found.push({ type, loc: [...place.loc, ...at], msg, input: input === undefined ? null : input, ...(ctx && { ctx }) });
  }
}

interface Named {
  type: string;
  msg: string;
  ctx?: Record<string, unknown>;
}

function nameOf(issue: ZodIssue, value: unknown): Named {
  switch (issue.code) {
    case "invalid_type":
      if (value === undefined) return { type: "missing", msg: "Field required" };
      return TYPE_NAMES[issue.expected] ?? { type: "value_error", msg: issue.message };
    case "invalid_value": {
      if (value === undefined) return { type: "missing", msg: "Field required" };
      const expected = issue.values.map((each) => (typeof each === "string" ? `'${each}'` : String(each))).join(" or ");
      return { type: "literal_error", msg: `Input should be ${expected}`, ctx: { expected } };
    }
    case "invalid_union":
      return value === undefined
        ? { type: "missing", msg: "Field required" }
        : { type: "union_tag_invalid", msg: "Input tag does not match any of the expected tags" };
    case "too_small":
      return limit(issue.origin, Number(issue.minimum), LOWER);
    case "too_big":
      return limit(issue.origin, Number(issue.maximum), UPPER);
    case "custom": {
      const type = issue.params?.type;
      return typeof type === "string"
        ? { type, msg: issue.message }
        : { type: "value_error", msg: `Value error, ${issue.message}`, ctx: { error: {} } };
    }
    default:
      return { type: "value_error", msg: issue.message };
  }
}

const TYPE_NAMES: Record<string, Named> = {
  string: { type: "string_type", msg: "Input should be a valid string" },
  number: { type: "float_type", msg: "Input should be a valid number" },
  int: { type: "int_type", msg: "Input should be a valid integer" },
  boolean: { type: "bool_type", msg: "Input should be a valid boolean" },
  array: { type: "list_type", msg: "Input should be a valid list" },
  object: { type: "model_attributes_type", msg: "Input should be a valid dictionary or object to extract fields from" },
  record: { type: "dict_type", msg: "Input should be a valid dictionary" },
};

type Limits = Record<"string" | "list" | "number", { type: string; key: string; word: string }>;
const LOWER: Limits = {
  string: { type: "string_too_short", key: "min_length", word: "at least" },
  list: { type: "too_short", key: "min_length", word: "at least" },
  number: { type: "greater_than_equal", key: "ge", word: "greater than or equal to" },
};
const UPPER: Limits = {
  string: { type: "string_too_long", key: "max_length", word: "at most" },
  list: { type: "too_long", key: "max_length", word: "at most" },
  number: { type: "less_than_equal", key: "le", word: "less than or equal to" },
};

function limit(origin: string, bound: number, limits: Limits): Named {
  const { type, key, word } = limits[origin === "string" ? "string" : origin === "array" ? "list" : "number"];
  const msg =
    origin === "string"
      ? `String should have ${word} ${bound} character${bound === 1 ? "" : "s"}`
      : origin === "array"
        ? `List should have ${word} ${bound} item${bound === 1 ? "" : "s"}`
        : `Input should be ${word} ${bound}`;
  return { type, msg, ctx: { [key]: bound } };
}

function valueAt(body: unknown, path: Path): unknown {
  let value = body;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string | number, unknown>)[key];
  }
  return value;
}

function sameLoc(loc: Path, prefix: Path, path: Path): boolean {
  return loc.length === prefix.length + path.length && path.every((key, index) => loc[prefix.length + index] === key);
}
