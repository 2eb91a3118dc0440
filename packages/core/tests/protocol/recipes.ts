/** Recipes of the `models` goldens: big inputs are described, long texts of answers are digests. */
import { createHash } from "node:crypto";

/** Longest text that an answer holds as it is. */
const PLAIN_TEXT_LIMIT_CHARS = 4_000;

/** `{repeat: [text, n]}`, `{concat: [...]}` and `{list_of: [value, n]}` written out, at any depth. */
export function expand(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(expand);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const [key, argument] = entries.length === 1 ? (entries[0] as [string, unknown]) : ["", undefined];
  if (key === "repeat" && Array.isArray(argument)) return String(argument[0]).repeat(Number(argument[1]));
  if (key === "concat" && Array.isArray(argument)) return argument.map(expand).join("");
  if (key === "list_of" && Array.isArray(argument))
    return Array.from({ length: Number(argument[1]) }, () => structuredClone(expand(argument[0])));
  return Object.fromEntries(entries.map(([name, each]) => [name, expand(each)]));
}

/** The value with each long text replaced by its digest, as the goldens hold it. */
export function digested(value: unknown): unknown {
  if (typeof value === "string" && value.length > PLAIN_TEXT_LIMIT_CHARS) {
    return { sha256: createHash("sha256").update(value).digest("hex"), length: value.length, starts: value.slice(0, 40) };
  }
  if (Array.isArray(value)) return value.map(digested);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, digested(each)]));
}

type Path = readonly (string | number)[];

/** True where one of our places is one of the expected ones, or lies inside or around it. */
export function isNear(ours: readonly Path[], expected: readonly Path[]): boolean {
  return ours.some((our) => expected.some((other) => other.slice(0, our.length).every((key, index) => our[index] === key)));
}
