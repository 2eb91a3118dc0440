/** Top-level keys by name. The reserved ones are never taken for a server. */
import { topLevelKeys } from "./top-level-table.ts";

export const RESERVED_KEYS: ReadonlySet<string> = new Set(
  topLevelKeys()
    .filter(([, key]) => key.reserved === true)
    .map(([name]) => name),
);

/** Keys that are read; those that are not reserved may name a server too. */
export const KNOWN_KEYS: ReadonlySet<string> = new Set(topLevelKeys().map(([name]) => name));
