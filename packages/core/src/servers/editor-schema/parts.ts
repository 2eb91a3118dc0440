/** Pieces of the editor's schema: values as a configuration file may write them, and names that are another one with a slip. */
import { z } from "zod";

export type JsonSchema = { [key: string]: unknown };

/** What may stand for any value: something that is filled in later. */
const LATER: JsonSchema = { type: "string", pattern: "^\\?\\?\\?$|\\$\\{" };

/** The keys of an object schema as an editor needs them: any of them may be left to another file, and each value may come from elsewhere. */
export function propertiesOf(schema: z.ZodType): Record<string, JsonSchema> {
  const { properties = {} } = z.toJSONSchema(schema, { target: "draft-7", io: "input", unrepresentable: "any" });
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, written(value as JsonSchema)]));
}

/** A value, or an interpolation that gives it; a list may be one text. */
export function written(schema: JsonSchema): JsonSchema {
  const { default: _default, description, ...rest } = relaxed(schema) as JsonSchema;
  const about = description === undefined ? {} : { description };
  if (Object.keys(rest).length === 0 || isText(rest)) return { ...about, ...rest };
  const choices = Array.isArray(rest.anyOf) && Object.keys(rest).length === 1 ? (rest.anyOf as JsonSchema[]) : [rest];
  if (choices.some((choice) => Object.keys(choice).length === 0)) return about;
  const list = choices.some((choice) => choice.type === "array");
  return { ...about, anyOf: [...choices, list ? { type: "string" } : LATER] };
}

function isText({ type, enum: names, pattern }: JsonSchema): boolean {
  return names === undefined && pattern === undefined && [type].flat().includes("string");
}

/** Bounds of safe integers and the names of a map say nothing to a person; what is required may stand in another file. */
function relaxed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(relaxed);
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(
    ([key, value]) => !["required", "propertyNames", "$schema"].includes(key) && Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER,
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, relaxed(value)]));
}

/** Names with one letter left out, added, changed or swapped -> what is said of them. `refused`: the schema of their value. */
export function slips(names: readonly string[], options: { minLength: number; refused: JsonSchema }): Record<string, JsonSchema> {
  const { minLength, refused } = options;
  const long = names.filter((name) => name.length >= minLength);
  return Object.fromEntries(
    long.map((name) => {
      const slip = slipFrom(name);
      const meant = names.filter((other) => new RegExp(`^${slip}$`).test(other));
      return [
        `^(?!(?:${meant.join("|")})$)${slip}$`,
        { ...refused, errorMessage: `Did you mean ${name}? A key of your own can be called x-...` },
      ];
    }),
  );
}

/** A pattern of one slip in the name, written as a tree so that it stays short. */
function slipFrom(rest: string): string {
  const [first, second] = rest;
  if (first === undefined) return ".";
  const after = rest.slice(1);
  const swapped = second === undefined ? "" : `|${second}${first}${after.slice(1)}`;
  return `(?:${first}${slipFrom(after)}|(?:.?|.${first})${after}${swapped})`;
}
