/** Between trees and plain JavaScript values. Floats and integers become numbers; integers past 2^53 become bigint. */
import { GymError } from "../errors/index.ts";
import { MAX_DEPTH, MAX_NODES } from "./limits.ts";
import { type ConfigNode, keyId, keyText, list, type MapEntry, mapFromEntries, scalar, text } from "./node.ts";
import type { Origin } from "./source.ts";

/** Refuses trees that are larger than the config stage works with; everything that unfolds shared branches asks here first. */
export function checkBounds(node: ConfigNode, what: string): void {
  if (node.depth > MAX_DEPTH)
    throw new GymError("NG_ERR_CONFIG", `${what} is nested ${node.depth} levels deep; the limit is ${MAX_DEPTH}.`);
  if (node.size > MAX_NODES) {
    throw new GymError("NG_ERR_CONFIG", `${what} unfolds to ${node.size} values; the limit is ${MAX_NODES}.`, {
      hint: "Aliases, _copy and interpolations are counted as often as they are used.",
    });
  }
}

export function toPlain(node: ConfigNode): unknown {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(toPlain);
  const out: Record<string, unknown> = {};
  for (const { key, value } of node.entries.values()) setOwn(out, keyText(key), toPlain(value));
  return out;
}

/** Sets an own property whatever the key is called, `__proto__` included. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
  else target[key] = value;
}

/** A tree of a plain value; numbers with a fraction are floats. Throws a plain `Error` on functions, symbols and cycles. */
export function fromPlain(value: unknown, at: Origin, depth = 0): ConfigNode {
  if (depth > MAX_DEPTH) throw new Error(`value is nested deeper than ${MAX_DEPTH} levels`);
  if (value === null || value === undefined) return scalar("null", null, at);
  if (typeof value === "string") return text(value, at);
  if (typeof value === "boolean") return scalar("bool", value, at);
  if (typeof value === "bigint") return scalar("int", value, at);
  if (typeof value === "number") return scalar(Number.isInteger(value) && !Object.is(value, -0) ? "int" : "float", value, at);
  if (value instanceof Uint8Array) return scalar("bytes", value, at);
  if (Array.isArray(value))
    return list(
      value.map((item) => fromPlain(item, at, depth + 1)),
      at,
    );
  if (typeof value !== "object") throw new Error(`a configuration value cannot be a ${typeof value}`);
  const entries = new Map<string, MapEntry>();
  for (const [key, item] of Object.entries(value)) {
    const keyNode = text(key, at);
    entries.set(keyId(keyNode), { key: keyNode, value: fromPlain(item, at, depth + 1) });
  }
  return mapFromEntries(entries, at);
}
