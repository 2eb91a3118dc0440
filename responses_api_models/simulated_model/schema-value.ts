/** A plausible value for a JSON schema: what a model would fill in after reading the conversation. Objects get all their properties. */
import { isObject } from "@ng-gym/core/protocol";
import type { Draw } from "./draw.ts";

/** Nesting at which a schema that refers to itself is cut off. */
const MAX_DEPTH = 12;

export interface ValueSource {
  draw: Draw;
  /** Words and numbers are taken from here. */
  text: string;
}

export function valueForSchema(schema: unknown, source: ValueSource): unknown {
  return value(schema, { ...source, root: schema, path: "$", depth: 0 });
}

interface Place extends ValueSource {
  root: unknown;
  path: string;
  depth: number;
}

function value(schema: unknown, place: Place): unknown {
  if (!isObject(schema) || place.depth > MAX_DEPTH) return null;
  const { draw, path } = place;
  const at = (key: string | number, inner: unknown): unknown => value(inner, { ...place, path: `${path}.${key}`, depth: place.depth + 1 });
  if (typeof schema.$ref === "string") return at("ref", resolveRef(schema.$ref, place.root));
  if ("const" in schema) return schema.const;
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return draw.pick(path, schema.enum);
  if ("default" in schema && schema.default !== null) return schema.default;
  if (Array.isArray(schema.examples) && schema.examples.length > 0) return draw.pick(path, schema.examples);
  for (const word of ["anyOf", "oneOf", "allOf"]) {
    const options = schema[word];
    if (Array.isArray(options) && options.length > 0)
      return at(word, options.find((option) => isObject(option) && option.type !== "null") ?? options[0]);
  }
  switch (typeOf(schema)) {
    case "object":
      return Object.fromEntries(
        Object.entries(isObject(schema.properties) ? schema.properties : {}).map(([key, inner]) => [key, at(key, inner)]),
      );
    case "array":
      return Array.from({ length: Math.min(Math.max(1, count(schema.minItems)), 16) }, (_, i) => at(i, schema.items ?? {}));
    case "string":
      return stringValue(schema, place);
    case "integer":
    case "number":
      return numberValue(schema, place);
    case "boolean":
      return draw.unit(path) < 0.5;
    default:
      return null;
  }
}

function typeOf(schema: Record<string, unknown>): string | undefined {
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  const type = types.find((name) => name !== "null");
  if (typeof type === "string") return type;
  if (isObject(schema.properties)) return "object";
  return "items" in schema ? "array" : types.includes("null") ? "null" : "string";
}

function resolveRef(ref: string, root: unknown): unknown {
  if (!ref.startsWith("#")) return {};
  let target = root;
  for (const step of ref.split("/").slice(1))
    target = isObject(target) ? target[step.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined;
  return target ?? {};
}

/** A name from the text where there is one: `weather in Bergen` -> Bergen. */
function stringValue(schema: Record<string, unknown>, { draw, path, text }: Place): string {
  const names = [...text.matchAll(/(?<=[\p{L}\p{N},;]["'(]?\s["'(]?)\p{Lu}[\p{L}-]+(?: \p{Lu}[\p{L}-]+)*/gu)].map(([name]) => name);
  const chosen = names.length > 0 ? draw.pick(path, names) : (path.split(".").at(-1) ?? "value");
  const padded = chosen.padEnd(Math.min(count(schema.minLength), 10_000), "x");
  return schema.maxLength === undefined ? padded : padded.slice(0, count(schema.maxLength));
}

/** A number from the text where one fits, else one in the allowed range. */
function numberValue(schema: Record<string, unknown>, { draw, path, text }: Place): number {
  const whole = typeOf(schema) === "integer";
  const low =
    typeof schema.minimum === "number"
      ? schema.minimum
      : typeof schema.exclusiveMinimum === "number"
        ? schema.exclusiveMinimum + 1
        : undefined;
  const high =
    typeof schema.maximum === "number"
      ? schema.maximum
      : typeof schema.exclusiveMaximum === "number"
        ? schema.exclusiveMaximum - 1
        : undefined;
  const inText = [...text.matchAll(/(?<![\p{L}\p{N}.])-?\d{1,9}(?:\.\d{1,9})?(?![\p{L}\p{N}])/gu)].map(Number);
  const fitting = inText.filter((n) => (!whole || Number.isInteger(n)) && n >= (low ?? -1e12) && n <= (high ?? 1e12));
  if (fitting.length > 0) return draw.pick(path, fitting);
  const from = low ?? Math.min(0, high ?? 0);
  const number = from + draw.unit(path) * ((high ?? from + 10) - from);
  return whole ? Math.floor(number) : Math.round(number * 100) / 100;
}

function count(limit: unknown): number {
  return typeof limit === "number" && limit > 0 ? Math.floor(limit) : 0;
}
