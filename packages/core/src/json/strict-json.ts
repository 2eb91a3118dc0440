/** JSON for files: what JSON cannot hold is refused by name instead of being written as null. */
import { GymError } from "../errors/index.ts";
import { RawJson } from "./raw.ts";
import { stringifyJson } from "./wire-json.ts";

/**
 * Compact JSON text.
 * @throws GymError NG_ERR_DATA where a number is NaN or infinite or a value is a bigint; the message names the field.
 */
export function stringifyStrict(value: unknown): string {
  const found = findUnwritable(value);
  if (found !== undefined) {
    throw new GymError("NG_ERR_DATA", `${found.path === "" ? "the value" : found.path} is ${found.what}, which JSON cannot hold`, {
      hint: "Write null for a number that is not known.",
      details: { field: found.path },
    });
  }
  return stringifyJson(value);
}

interface Found {
  path: string;
  what: string;
}

function findUnwritable(root: unknown): Found | undefined {
  const open: { value: unknown; path: string }[] = [{ value: root, path: "" }];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const { value, path } = node;
    if (typeof value === "number" && !Number.isFinite(value)) return { path, what: String(value) };
    if (typeof value === "bigint") return { path, what: "a bigint" };
    if (typeof value !== "object" || value === null || value instanceof RawJson) continue;
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++)
        if (mayBeUnwritable(value[index])) open.push({ value: value[index], path: `${path}[${index}]` });
    } else {
      for (const key of Object.keys(value)) {
        const child = (value as Record<string, unknown>)[key];
        if (mayBeUnwritable(child)) open.push({ value: child, path: path === "" ? key : `${path}.${key}` });
      }
    }
  }
  return undefined;
}

function mayBeUnwritable(value: unknown): boolean {
  return typeof value === "object" ? value !== null : typeof value === "number" ? !Number.isFinite(value) : typeof value === "bigint";
}
