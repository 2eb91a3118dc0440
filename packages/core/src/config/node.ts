/**
 * The tree that every step of the config stage works on. Nodes are never changed, so steps share branches instead of copying them.
 * Unlike plain objects they keep what YAML tells apart and JavaScript does not (1 and 1.0, the key 1 and the key "1", key order),
 * where each value was written, and in `over` the value that it replaced.
 */
import type { Origin } from "./source.ts";

export type ScalarType = "null" | "bool" | "int" | "float" | "str" | "bytes";

interface NodeBase {
  readonly at: Origin;
  /** What this value replaced when layers were merged: the chain that `explainKey` tells. */
  readonly over?: ConfigNode | undefined;
  /** Nodes in this branch, shared ones counted as often as they appear. */
  readonly size: number;
  readonly depth: number;
}

export interface ScalarNode extends NodeBase {
  readonly kind: "scalar";
  readonly type: ScalarType;
  /** `int` is a number, or a bigint past 2^53. */
  readonly value: null | boolean | number | bigint | string | Uint8Array;
}

/** A scalar that holds text. */
export interface TextNode extends ScalarNode {
  readonly value: string;
}

export interface ListNode extends NodeBase {
  readonly kind: "list";
  readonly items: readonly ConfigNode[];
}

export interface MapEntry {
  readonly key: ScalarNode;
  readonly value: ConfigNode;
}

export interface MapNode extends NodeBase {
  readonly kind: "map";
  /** By key identity, in order of first appearance. */
  readonly entries: ReadonlyMap<string, MapEntry>;
}

export type ConfigNode = ScalarNode | ListNode | MapNode;

/** The mark of a value that somebody must still give. */
export const UNSET = "???";

export function scalar(type: ScalarType, value: ScalarNode["value"], at: Origin): ScalarNode {
  return { kind: "scalar", type, value, at, size: 1, depth: 1 };
}

export function text(value: string, at: Origin): ScalarNode {
  return scalar("str", value, at);
}

export function list(items: readonly ConfigNode[], at: Origin): ListNode {
  let size = 1;
  let depth = 0;
  for (const item of items) {
    size += item.size;
    if (item.depth > depth) depth = item.depth;
  }
  return { kind: "list", items, at, size, depth: depth + 1 };
}

export function mapFromEntries(entries: ReadonlyMap<string, MapEntry>, at: Origin, over?: ConfigNode): MapNode {
  let size = 1;
  let depth = 0;
  for (const { value } of entries.values()) {
    size += value.size;
    if (value.depth > depth) depth = value.depth;
  }
  return { kind: "map", entries, at, size, depth: depth + 1, over };
}

/** A mapping with text keys. */
export function map(fields: Record<string, ConfigNode> | [string, ConfigNode][], at: Origin): MapNode {
  const entries = new Map<string, MapEntry>();
  for (const [key, value] of Array.isArray(fields) ? fields : Object.entries(fields))
    entries.set(textKeyId(key), { key: text(key, at), value });
  return mapFromEntries(entries, at);
}

export function textKeyId(key: string): string {
  return `s${key}`;
}

/** Numbers and booleans that are equal in Python are one key: 1, 1.0 and true. */
export function keyId(key: ScalarNode): string {
  if (typeof key.value === "string") return textKeyId(key.value);
  if (key.value === null) return "null";
  if (key.value instanceof Uint8Array) return `b${Buffer.from(key.value).toString("hex")}`;
  return `n${typeof key.value === "boolean" ? Number(key.value) : key.value}`;
}

export function getEntry(node: MapNode, key: string): MapEntry | undefined {
  return node.entries.get(textKeyId(key));
}

export function get(node: ConfigNode | undefined, key: string): ConfigNode | undefined {
  return node?.kind === "map" ? getEntry(node, key)?.value : undefined;
}

/** Follows text keys and list positions as they stand, without interpolation. */
export function getPath(node: ConfigNode | undefined, path: readonly (string | number)[]): ConfigNode | undefined {
  let current = node;
  for (const step of path) {
    if (current === undefined) return undefined;
    current = typeof step === "number" && current.kind === "list" ? current.items[step] : get(current, String(step));
  }
  return current;
}

export function withEntry(node: MapNode, key: string, value: ConfigNode, at: Origin = value.at): MapNode {
  const entries = new Map(node.entries);
  entries.set(textKeyId(key), { key: getEntry(node, key)?.key ?? text(key, at), value });
  return mapFromEntries(entries, node.at, node.over);
}

export function withoutEntry(node: MapNode, key: string): MapNode {
  if (getEntry(node, key) === undefined) return node;
  const entries = new Map(node.entries);
  entries.delete(textKeyId(key));
  return mapFromEntries(entries, node.at, node.over);
}

/** A copy of the root in which the value at a path of existing mappings is another one (`undefined` removes it). */
export function withPath(root: MapNode, path: readonly string[], value: ConfigNode | undefined): MapNode {
  const [key, ...rest] = path;
  if (key === undefined) return value?.kind === "map" ? value : root;
  if (rest.length === 0) return value === undefined ? withoutEntry(root, key) : withEntry(root, key, value);
  const child = get(root, key);
  return child?.kind === "map" ? withEntry(root, key, withPath(child, rest, value)) : root;
}

/** Layers that a value remembers; a command line that sets one key thousands of times need not be told in full. */
const MAX_LAYERS = 100;

/** A value that replaced another, with everything that either had replaced before. */
export function replacing(winner: ConfigNode, loser: ConfigNode): ConfigNode {
  const chain: ConfigNode[] = [];
  for (let node: ConfigNode | undefined = winner; node !== undefined && chain.length < MAX_LAYERS; node = node.over) chain.push(node);
  return chain.reduceRight<ConfigNode>((over, node) => ({ ...node, over }), loser);
}

/** A copy without the values at these paths of text keys. */
export function withoutPaths(node: MapNode, paths: readonly (readonly string[])[]): MapNode {
  if (paths.length === 0) return node;
  const byKey = Map.groupBy(paths, ([key = ""]) => textKeyId(key));
  const entries = new Map<string, MapEntry>();
  for (const [id, entry] of node.entries) {
    const below = byKey.get(id);
    if (below === undefined) entries.set(id, entry);
    else if (below.every((path) => path.length > 1)) {
      const rest = below.map((path) => path.slice(1));
      entries.set(id, entry.value.kind === "map" ? { key: entry.key, value: withoutPaths(entry.value, rest) } : entry);
    }
  }
  return mapFromEntries(entries, node.at, node.over);
}

export function isText(node: ConfigNode | undefined): node is TextNode {
  return node?.kind === "scalar" && typeof node.value === "string";
}

export function isNull(node: ConfigNode | undefined): boolean {
  return node?.kind === "scalar" && node.value === null;
}

export function isUnset(node: ConfigNode | undefined): boolean {
  return isText(node) && node.value === UNSET;
}

export function isInterpolation(node: ConfigNode | undefined): node is TextNode {
  return isText(node) && node.value.includes("${");
}

export function textAt(node: ConfigNode | undefined, key: string): string | undefined {
  const value = get(node, key);
  return isText(value) ? value.value : undefined;
}

/** `a.b[1].c`: how a place in the tree is written in messages. */
export function pathText(path: readonly (string | number)[]): string {
  let out = "";
  for (const step of path) out += typeof step === "number" ? `[${step}]` : out === "" ? step : `.${step}`;
  return out;
}

/** Key of an entry as text, for paths. */
export function keyText(key: ScalarNode): string {
  return typeof key.value === "string" ? key.value : String(key.value);
}
