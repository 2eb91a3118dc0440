/**
 * A Python server's dump of a Response spells the `schema` of a json_schema format `schema_`, which its own reader then refuses. Ours reads both
 * and writes `schema`, so that structured output can be verified behind a Python agent.
 */
import { isObject } from "./fields.ts";

export function withSchemaKey(text: unknown): unknown {
  if (!isObject(text) || !isObject(text.format) || !("schema_" in text.format) || "schema" in text.format) return text;
  const { schema_: schema, ...format } = text.format;
  return { ...text, format: { ...format, schema } };
}
