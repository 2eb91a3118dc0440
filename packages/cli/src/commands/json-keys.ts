/** Field names as every other file and answer of the toolkit spells them. */

/** The same value with `camelCase` keys of objects as `snake_case`, at any depth. */
export function snakeCaseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCaseKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key.replace(/(?<=[a-z0-9])[A-Z]|(?<=[A-Z])[A-Z](?=[a-z])/g, "_$&").toLowerCase(),
      snakeCaseKeys(inner),
    ]),
  );
}
