/** How one result row is read: its key, whether it is measured, its numbers. */
import { GymError } from "../errors/index.ts";
import type { Id, Row } from "./types.ts";

export const TASK_INDEX = "_ng_task_index";
export const ROLLOUT_INDEX = "_ng_rollout_index";
export const ENVIRONMENT_SERVER = "_ng_environment_server";
const FAILURE_CLASS = "_ng_failure_class";
const MASK = "mask_sample";

export interface RowKey {
  task: Id;
  rollout: Id;
}

/** The key of a row; an absent index counts as 0. @throws GymError NG_ERR_DATA where an index is neither number nor text. */
export function keyOf(row: Row): RowKey {
  return { task: readId(row, TASK_INDEX), rollout: readId(row, ROLLOUT_INDEX) };
}

function readId(row: Row, name: string): Id {
  const value = row[name];
  if (value === undefined || value === null) return 0;
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))) return Number(value);
  throw new GymError("NG_ERR_DATA", `${name} must be a number or text, got ${JSON.stringify(value)?.slice(0, 80)}`);
}

/** Text that is equal exactly for equal ids (1 and "1" differ). */
export function idText(id: Id): string {
  return typeof id === "number" ? String(id) : JSON.stringify(id);
}

export function keyText(key: RowKey): string {
  return `${idText(key.task)}, ${idText(key.rollout)}`;
}

/** Numbers before texts, numbers by size, texts by code point. */
export function compareIds(a: Id, b: Id): number {
  if (typeof a === "number") return typeof b === "number" ? a - b : -1;
  return typeof b === "number" ? 1 : compareText(a, b);
}

/** Order by code point, as in Python (`<` on strings compares UTF-16 units). */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  let i = 0;
  while (i < a.length && i < b.length && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  // Step back where the difference is inside a surrogate pair.
  if (i > 0 && (a.charCodeAt(i - 1) & 0xfc00) === 0xd800) i--;
  return (a.codePointAt(i) ?? -1) - (b.codePointAt(i) ?? -1);
}

export type RowState = { state: "measured" } | { state: "masked" } | { state: "failed"; failureClass: string };

/** A row with a failure class has no reward that a verifier measured; a masked row asks to be left out. */
export function stateOf(row: Row): RowState {
  const failureClass = row[FAILURE_CLASS];
  if (failureClass !== undefined && failureClass !== null) return { state: "failed", failureClass: String(failureClass) };
  return isTruthy(row[MASK]) ? { state: "masked" } : { state: "measured" };
}

/** Truth as Python sees it in JSON: empty lists and maps are false. */
export function isTruthy(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isMap(value)) return Object.keys(value).length > 0;
  return Boolean(value);
}

export function isMap(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Fields of a map that can be a column: booleans as 0 or 1, numbers (also those that are not finite); never names with `_` in front, nor the mask flag. */
export function* numericFields(map: Row): Generator<[name: string, value: number]> {
  for (const name of Object.keys(map)) {
    if (name.startsWith("_") || name === MASK) continue;
    const value = map[name];
    if (typeof value === "number" || typeof value === "boolean") yield [name, Number(value)];
  }
}

/** `response.usage` where it is a map. */
export function usageOf(row: Row): Row {
  const usage = isMap(row.response) ? row.response.usage : undefined;
  return isMap(usage) ? usage : {};
}
