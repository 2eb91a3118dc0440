/** What a line holds: a JSON object. */
export type Row = Record<string, unknown>;

export function isRecord(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
