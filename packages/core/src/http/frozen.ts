/** Proof for tests that nobody changes what is not theirs: what crosses a local hop is a frozen copy, so that a change throws. */
import { isRaw } from "../json/index.ts";

/** A deep copy of a JSON value in which nothing can be changed. Values that are no plain data (raw arrays, class instances) are shared. */
export function frozenCopy<T>(value: T): T {
  if (typeof value !== "object" || value === null || isRaw(value)) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as T;
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([key, field]) => [key, frozenCopy(field)]))) as T;
}
