/** Between the JSON of the config goldens and trees: inputs grow, values keep what JSON cannot tell (floats, big integers, bytes, odd keys). */
import { createHash } from "node:crypto";
import { expect } from "vitest";
import { type ConfigNode, keyId, list, mapFromEntries, scalar } from "../../src/config/node.ts";
import { madeUp } from "../../src/config/source.ts";

// biome-ignore lint/suspicious/noExplicitAny: golden JSON
type Json = any;

/** The text that an input stands for. */
export function grow(input: Json): string {
  if (typeof input === "string") return input;
  if (input.repeat) return input.repeat[0].repeat(input.repeat[1]);
  if (input.join) return input.join.map(grow).join("");
  if (input.numbered) return Array.from({ length: input.numbered[1] }, (_, i) => input.numbered[0].replaceAll("{i}", i)).join("");
  if (input.nest) return input.nest[0].repeat(input.nest[3]) + grow(input.nest[1]) + input.nest[2].repeat(input.nest[3]);
  throw new Error(`unknown input ${JSON.stringify(input)}`);
}

export function bytesOf(input: Json): Buffer {
  return input?.hex === undefined ? Buffer.from(grow(input)) : Buffer.from(input.hex, "hex");
}

/** A comparable form of a tree: `{float}`, `{int}`, `{bytes}`, `{map: [[key, value]...]}`. */
export function encode(node: ConfigNode): Json {
  if (node.kind === "list") return node.items.map(encode);
  if (node.kind === "map") return { map: [...node.entries.values()].map(({ key, value }) => [encode(key), encode(value)]) };
  if (node.type === "float") return { float: floatText(Number(node.value)) };
  if (node.type === "bytes") return { bytes: Buffer.from(node.value as Uint8Array).toString("hex") };
  return typeof node.value === "bigint" ? { int: String(node.value) } : node.value;
}

/** The same form of a golden's value. */
export function decode(value: Json): Json {
  if (Array.isArray(value)) return value.map(decode);
  if (value === null || typeof value !== "object") return value;
  if ("$float" in value) return { float: floatText(Number(String(value.$float).replace(/inf$/, "Infinity"))) };
  if ("$int" in value) return { int: value.$int };
  if ("$bytes" in value) return { bytes: value.$bytes };
  if ("$sha256" in value || "$sha256_json" in value) return value;
  const entries: [Json, Json][] = "$map" in value ? value.$map : Object.entries(value);
  return { map: entries.map(([key, item]) => [decode(key), decode(item)]) };
}

/** A tree of a golden's value. */
export function toNode(value: Json): ConfigNode {
  const at = madeUp("initial", "golden");
  if (Array.isArray(value)) return list(value.map(toNode), at);
  if (value === null) return scalar("null", null, at);
  if (typeof value === "boolean") return scalar("bool", value, at);
  if (typeof value === "number") return scalar("int", value, at);
  if (typeof value === "string") return scalar("str", value, at);
  if ("$float" in value) return scalar("float", Number(String(value.$float).replace(/inf$/, "Infinity")), at);
  if ("$int" in value) return scalar("int", BigInt(value.$int), at);
  if ("$bytes" in value) return scalar("bytes", new Uint8Array(Buffer.from(value.$bytes, "hex")), at);
  const entries: [Json, Json][] = "$map" in value ? value.$map : Object.entries(value);
  return mapFromEntries(
    new Map(
      entries.map(([key, item]) => {
        const node = toNode(key);
        if (node.kind !== "scalar") throw new Error("a key is a scalar");
        return [keyId(node), { key: node, value: toNode(item) }];
      }),
    ),
    at,
  );
}

/** Asserts that a tree is a golden's value; large texts and lists are compared by their digest. */
export function expectValue(node: ConfigNode, expected: Json, options: { keyOrder: boolean }): void {
  const got = digestWhere(encode(node), decode(expected));
  const want = decode(expected);
  expect(options.keyOrder ? got : sorted(got)).toEqual(options.keyOrder ? want : sorted(want));
}

function digestWhere(got: Json, want: Json): Json {
  if (want === null || typeof want !== "object") return got;
  if ("$sha256" in want && typeof got === "string") return { $sha256: sha(got), $length: [...got].length };
  if ("$sha256_json" in want && Array.isArray(got)) return { $sha256_json: sha(asciiJson(got)), $length: got.length };
  if (Array.isArray(want) && Array.isArray(got)) return got.map((item: Json, index: number) => digestWhere(item, want[index] ?? null));
  if (want.map && got?.map) {
    const byKey = new Map<string, Json>(want.map.map(([key, item]: [Json, Json]) => [JSON.stringify(key), item]));
    return { map: got.map.map(([key, item]: [Json, Json]) => [key, digestWhere(item, byKey.get(JSON.stringify(key)) ?? null)]) };
  }
  return got;
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (value?.map === undefined) return value;
  const entries = value.map.map(([key, item]: [Json, Json]) => [key, sorted(item)]);
  return { map: entries.sort((a: Json, b: Json) => (JSON.stringify(a[0]) < JSON.stringify(b[0]) ? -1 : 1)) };
}

function floatText(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

function sha(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function asciiJson(value: Json): string {
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
