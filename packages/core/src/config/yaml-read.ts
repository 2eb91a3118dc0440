/**
 * YAML text to a tree. The `yaml` package parses; this walks its nodes and does what OmegaConf's loader does with them: merge keys,
 * duplicate keys, keys that collapse, aliases (shared, so that a bomb of them costs nothing until it is counted).
 */
import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, type ParsedNode, type YAMLMap, type YAMLSeq } from "yaml";
import { MAX_DEPTH, MAX_FILE_LENGTH, MAX_NODES } from "./limits.ts";
import { type ConfigNode, keyId, keyText, list, type MapEntry, type MapNode, mapFromEntries, scalar } from "./node.ts";
import type { Origin, Source } from "./source.ts";
import type { Meaning } from "./yaml-scalars.ts";
import { parseDocument, YamlFault } from "./yaml-syntax.ts";
import { PAIR_TAGS } from "./yaml-tags.ts";

/** The Unicode line separators end a line in YAML 1.1; inside a text they stay themselves, so only those before an entry count here. */
const SEPARATOR_BEFORE_ENTRY = /[\u2028\u2029](?=[^\n\u2028\u2029"']*:(?:[ \n\u2028\u2029]|$)|- )/g;

/** The text of a file as the scanner of YAML 1.1 sees it: other line ends become `\n`, a byte order mark goes. */
export function normaliseText(raw: string): string {
  const text = raw.startsWith("\ufeff") ? raw.slice(1) : raw;
  return text
    .replace(/\r\n/g, "\n")
    .replace(/[\r\x85]/g, "\n")
    .replace(SEPARATOR_BEFORE_ENTRY, "\n");
}

/**
 * Reads one file: an empty one is an empty mapping, a single word is a key without value.
 * Throws `YamlFault`; a source whose text was not normalised gives wrong columns only.
 */
export function readYaml(source: Source): ConfigNode {
  if (source.text.length > MAX_FILE_LENGTH)
    throw new YamlFault(0, `the file has ${source.text.length} characters; the limit is ${MAX_FILE_LENGTH}`);
  const document = parseDocument(source.text);
  const at = { source, offset: 0 };
  if (document === undefined || document.contents === null) return mapFromEntries(new Map(), at);
  const root = new Reader(source).read(document.contents, at);
  if (root.size > MAX_NODES)
    throw new YamlFault(
      0,
      `the file unfolds to ${root.size} values; the limit is ${MAX_NODES}`,
      "Aliases are counted as often as they are used.",
    );
  if (root.depth > MAX_DEPTH) throw new YamlFault(0, `nested deeper than ${MAX_DEPTH} levels`);
  if (root.kind !== "scalar") return root;
  if (root.value === null) return mapFromEntries(new Map(), at);
  if (root.type !== "str") throw new YamlFault(root.at.offset, `a configuration file must hold a mapping, not a ${root.type}`);
  return mapFromEntries(new Map([[keyId(root), { key: root, value: scalar("null", null, root.at) }]]), at);
}

class Reader {
  private readonly anchors = new Map<string, ConfigNode | "open">();
  private readonly source: Source;
  private merges = 0;

  constructor(source: Source) {
    this.source = source;
  }

  read(node: Node | null, fallback: Origin): ConfigNode {
    if (node === null) return scalar("null", null, fallback);
    if (isAlias(node)) return this.alias(node);
    const anchor = (node as { anchor?: string }).anchor;
    if (anchor !== undefined) this.anchors.set(anchor, "open");
    const result = this.content(node, this.origin(node, fallback));
    if (anchor !== undefined) this.anchors.set(anchor, result);
    return result;
  }

  private content(node: Node, at: Origin): ConfigNode {
    if (isMap(node)) return this.mapping(node, at);
    if (isSeq(node)) return this.sequence(node, at);
    if (!isScalar(node)) throw new YamlFault(at.offset, "this does not read as YAML");
    const value = node.value as string | Meaning | null;
    if (value === null) return scalar("null", null, at);
    if (typeof value !== "string") return scalar(value.type, value.value, at);
    if (node.type === "PLAIN" && node.tag === undefined && (value === "=" || value === "<<")) {
      throw new YamlFault(at.offset, `an unquoted ${value} has a meaning of its own in YAML 1.1`, `Quote it: '${value}'`);
    }
    return scalar("str", value, at);
  }

  private alias(node: Alias): ConfigNode {
    const offset = node.range?.[0] ?? 0;
    const target = this.anchors.get(node.source);
    if (target === undefined)
      throw new YamlFault(
        offset,
        `found undefined alias '${node.source}'`,
        `Define &${node.source} earlier in this file; anchors belong to one file.`,
      );
    if (target === "open") throw new YamlFault(offset, `the value of &${node.source} holds itself`);
    return target;
  }

  private sequence(node: YAMLSeq, at: Origin): ConfigNode {
    const items = node.items.map((item) => this.read(item as Node, at));
    if (node.tag === undefined || !PAIR_TAGS.has(node.tag)) return list(items, at);
    return list(
      items.map((item) => this.pair(item)),
      at,
    );
  }

  private pair(item: ConfigNode): ConfigNode {
    const [entry] = item.kind === "map" ? [...item.entries.values()] : [];
    if (entry === undefined || (item as MapNode).entries.size !== 1) throw new YamlFault(item.at.offset, "expected a mapping of one key");
    return list([entry.key, entry.value], item.at);
  }

  private mapping(node: YAMLMap, at: Origin): MapNode {
    const merged: MapEntry[] = [];
    const own: MapEntry[] = [];
    const texts = new Set<string>();
    for (const pair of node.items) {
      const keyNode = pair.key as ParsedNode | null;
      const keyAt = keyNode === null ? at : this.origin(keyNode, at);
      if (isScalar(keyNode) && keyNode.type === "PLAIN" && keyNode.value === "<<") {
        for (const entry of this.mergeKey(pair.value as Node | null, keyAt)) merged.push(entry);
        this.merges += merged.length;
        if (this.merges > MAX_NODES) throw new YamlFault(keyAt.offset, `merge keys bring more than ${MAX_NODES} entries`);
        continue;
      }
      const key = this.key(keyNode, keyAt);
      if (key.type === "str") {
        if (texts.has(String(key.value))) throw new YamlFault(keyAt.offset, `found duplicate key ${keyText(key)}`, "Keep one of the two.");
        texts.add(String(key.value));
      }
      own.push({ key, value: this.read(pair.value as Node | null, keyAt) });
    }
    const entries = new Map<string, MapEntry>();
    for (const entry of [...merged, ...own]) {
      const id = keyId(entry.key);
      entries.set(id, { key: entries.get(id)?.key ?? entry.key, value: entry.value });
    }
    return mapFromEntries(entries, at);
  }

  private key(node: ParsedNode | null, at: Origin) {
    const isEqualsSign = isScalar(node) && node.type === "PLAIN" && (node.value as unknown) === "=";
    const key = isEqualsSign ? scalar("str", "=", at) : this.read(node, at);
    if (key.kind !== "scalar") throw new YamlFault(at.offset, "found unhashable key: a key must be a text, a number or a boolean");
    if (key.value === null) throw new YamlFault(at.offset, "a key cannot be empty or null", "Write the key as a quoted text.");
    return key;
  }

  /** `<<: *a` or `<<: [*a, *b]`, where the earlier of a list wins. */
  private mergeKey(value: Node | null, at: Origin): MapEntry[] {
    const node = this.read(value, at);
    if (node.kind === "map") return [...node.entries.values()];
    if (node.kind !== "list") throw new YamlFault(node.at.offset, "expected a mapping or list of mappings for merging");
    return node.items.toReversed().flatMap((item) => {
      if (item.kind !== "map") throw new YamlFault(item.at.offset, "expected a mapping for merging");
      return [...item.entries.values()];
    });
  }

  private origin(node: Node, fallback: Origin): Origin {
    const offset = node.range?.[0];
    return offset === undefined ? fallback : { source: this.source, offset };
  }
}
