/** A tree as the YAML text that OmegaConf's `to_yaml` gives: block style, 80 columns, Unicode kept, no aliases. */
import { type ConfigNode, keyText, type MapNode, type ScalarNode } from "./node.ts";
import { checkBounds, fromPlain } from "./plain.ts";
import { pythonFloat } from "./python-text.ts";
import { madeUp } from "./source.ts";
import { YamlLines } from "./yaml-lines.ts";
import { isMultiline, styleOf } from "./yaml-scalar-style.ts";

/** Longest key, its tag counted, that stands on the line of its value. */
const MAX_SIMPLE_KEY = 128;

/** YAML text of a plain value or a tree. Floats without fraction show as integers unless a tree says that they are floats. */
export function dumpYaml(value: unknown): string {
  return emitYaml(isNode(value) ? value : fromPlain(value, madeUp("initial", "value")));
}

export function emitYaml(node: ConfigNode): string {
  checkBounds(node, "The value to write");
  const out = new YamlLines();
  if (node.kind === "map" && node.entries.size > 0) writeMap(out, node, 0, true);
  else if (node.kind === "list" && node.items.length > 0) writeList(out, node.items, 0, true);
  else writeLeaf(out, node, 0);
  return out.end();
}

function isNode(value: unknown): value is ConfigNode {
  return typeof value === "object" && value !== null && "kind" in value && "at" in value && "size" in value && "depth" in value;
}

/** `inline`: the first entry goes on the current line. */
function writeMap(out: YamlLines, node: MapNode, indent: number, inline: boolean): void {
  let first = inline;
  for (const { key, value } of node.entries.values()) {
    if (!first) out.newLine(indent);
    first = false;
    if (isSimpleKey(key)) {
      writeScalar(out, key, indent + 2, true);
      out.write(":");
      writeValue(out, value, indent);
    } else {
      out.write("? ");
      writeScalar(out, key, indent + 2, false);
      out.newLine(indent);
      out.write(":");
      writeNested(out, value, indent);
    }
  }
}

function writeList(out: YamlLines, items: readonly ConfigNode[], indent: number, inline: boolean): void {
  let first = inline;
  for (const item of items) {
    if (!first) out.newLine(indent);
    first = false;
    out.write("-");
    writeNested(out, item, indent);
  }
}

/** After `key:`: containers begin on the next line, lists without further indent. */
function writeValue(out: YamlLines, value: ConfigNode, indent: number): void {
  if (value.kind === "map" && value.entries.size > 0) writeMap(out, value, indent + 2, false);
  else if (value.kind === "list" && value.items.length > 0) writeList(out, value.items, indent, false);
  else {
    out.write(" ");
    writeLeaf(out, value, indent + 2);
  }
}

/** After `-` and `:` of a long key: containers begin on the same line. */
function writeNested(out: YamlLines, value: ConfigNode, indent: number): void {
  out.write(" ");
  if (value.kind === "map" && value.entries.size > 0) writeMap(out, value, indent + 2, true);
  else if (value.kind === "list" && value.items.length > 0) writeList(out, value.items, indent + 2, true);
  else writeLeaf(out, value, indent + 2);
}

function writeLeaf(out: YamlLines, node: ConfigNode, indent: number): void {
  if (node.kind === "map") out.write("{}");
  else if (node.kind === "list") out.write("[]");
  else writeScalar(out, node, indent, false);
}

function writeScalar(out: YamlLines, node: ScalarNode, indent: number, simpleKey: boolean): void {
  if (node.type === "bytes") {
    out.write("!!binary |");
    for (const line of Buffer.from(node.value as Uint8Array)
      .toString("base64")
      .match(/.{1,76}/g) ?? []) {
      out.newLine(indent);
      out.write(line);
    }
  } else if (node.type !== "str") out.write(plainText(node));
  else {
    const text = String(node.value);
    const style = styleOf(text, simpleKey);
    if (style === "plain") out.plain(text, indent, !simpleKey);
    else if (style === "single") out.single(text, indent, !simpleKey);
    else out.double(text, indent, !simpleKey);
  }
}

function plainText({ type, value }: ScalarNode): string {
  if (type === "null") return "null";
  if (type !== "float") return String(value);
  const number = Number(value);
  if (Number.isNaN(number)) return ".nan";
  if (!Number.isFinite(number)) return number > 0 ? ".inf" : "-.inf";
  const text = pythonFloat(number);
  return text.includes("e") && !text.includes(".") ? text.replace("e", ".0e") : text;
}

function isSimpleKey(key: ScalarNode): boolean {
  const text = key.type === "str" ? keyText(key) : plainText(key);
  const tag = { str: 5, int: 5, bool: 6, float: 7, null: 6, bytes: 8 }[key.type];
  return text !== "" && !isMultiline(text) && [...text].length + tag < MAX_SIMPLE_KEY;
}
