/** One override token: parsed, with its value as a tree that knows the token it came from. */
import { MAX_OVERRIDE_LENGTH } from "./limits.ts";
import { type ConfigNode, keyId, list, type MapEntry, mapFromEntries, scalar } from "./node.ts";
import { type OverrideType, parseOverrideKey } from "./override-key.ts";
import { OverrideSyntaxError, type OverrideValue, parseOverrideValue } from "./override-value.ts";
import { isSecretKey, MASK, maskOverrides, maskText } from "./secrets.ts";
import type { Origin } from "./source.ts";

export interface Override {
  token: string;
  type: OverrideType;
  key: string;
  package?: string;
  /** Undefined for a delete without value. */
  value: ConfigNode | undefined;
  /** Set where the value means several runs: what makes it so. */
  sweep?: string;
  at: Origin;
}

/** Parses `+key=value` and its kin. Throws `OverrideSyntaxError`. */
export function parseOverride(token: string): Override {
  if (token.length > MAX_OVERRIDE_LENGTH)
    throw new OverrideSyntaxError(0, `the token has ${token.length} characters; the limit is ${MAX_OVERRIDE_LENGTH}`);
  const { type, key, package: pkg, valueAt } = parseOverrideKey(token);
  const at = overrideOrigin(token, valueAt ?? 0, key);
  const base = { token, type, key, at, ...(pkg === undefined ? {} : { package: pkg }) };
  if (valueAt === undefined) return { ...base, value: undefined };
  const parsed = parseOverrideValue(token, valueAt);
  const sweep = sweepIn(parsed);
  return { ...base, value: sweep === undefined ? toNode(parsed, at) : scalar("null", null, at), ...(sweep === undefined ? {} : { sweep }) };
}

/** Characters of a token that are masked, and then shown, in its name. */
const MAX_NAMED = 2_000;
const MAX_SHOWN = 200;

/** A place in a token; tokens whose key is secret keep their value out of every message. */
export function overrideOrigin(token: string, offset: number, key?: string): Origin {
  const name = key ?? /^[+~]*([^=]*)/.exec(token)?.[1] ?? "";
  const shown = key !== "" && name.split(".").some(isSecretKey) ? `${token.slice(0, token.indexOf("=") + 1)}${MASK}` : maskText(token);
  // Keeps its length only in the text, where places point into it.
  const named = maskOverrides([shown.slice(0, MAX_NAMED)])[0] ?? "";
  return {
    source: {
      kind: "override",
      name: `command line: ${named.length > MAX_SHOWN ? `${named.slice(0, MAX_SHOWN)}...` : named}`,
      text: shown,
    },
    offset: Math.min(offset, shown.length),
  };
}

function sweepIn(value: OverrideValue): string | undefined {
  if (value.kind === "sweep") return value.name;
  if (value.kind === "list") return value.items.map(sweepIn).find((found) => found !== undefined);
  if (value.kind === "map") return value.entries.map((entry) => sweepIn(entry.value)).find((found) => found !== undefined);
  return undefined;
}

function toNode(value: OverrideValue, at: Origin): ConfigNode {
  if (value.kind === "list")
    return list(
      value.items.map((item) => toNode(item, at)),
      at,
    );
  if (value.kind === "word") return scalar(value.typed.type, value.typed.value, at);
  const entries = new Map<string, MapEntry>();
  for (const { key, value: item } of value.kind === "map" ? value.entries : []) {
    const keyNode = scalar(key.type, key.value, at);
    const id = keyId(keyNode);
    entries.set(id, { key: entries.get(id)?.key ?? keyNode, value: toNode(item, at) });
  }
  return mapFromEntries(entries, at);
}
