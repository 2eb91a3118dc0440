/** The custom tags that make the `yaml` package read YAML 1.1 as OmegaConf's loader does. Each resolves to a `Meaning`, so that 1 and 1.0 stay apart. */
import type { CollectionTag, ScalarTag, Tags } from "yaml";
import { floatOf, intOf, type Meaning, meaningOf, truth } from "./yaml-scalars.ts";

const PREFIX = "tag:yaml.org,2002:";

/** Plain scalars: anything that `meaningOf` does not take for a text. */
const plain: ScalarTag = {
  tag: `${PREFIX}plain`,
  default: true,
  test: { test: (source: string) => meaningOf(source).type !== "str" } as unknown as RegExp,
  resolve: (source) => meaningOf(source),
};

function explicit(name: string, read: (source: string) => Meaning): ScalarTag {
  return { tag: PREFIX + name, resolve: read };
}

function collection(name: string, kind: "map" | "seq"): CollectionTag {
  return { tag: PREFIX + name, collection: kind } as CollectionTag;
}

export const OMEGACONF_TAGS: Tags = [
  plain,
  explicit("str", (source) => ({ type: "str", value: source })),
  explicit("int", (source) => ({ type: "int", value: intOf(source) })),
  explicit("float", (source) => ({ type: "float", value: floatOf(source) })),
  explicit("bool", (source) => ({ type: "bool", value: truth(source) })),
  explicit("null", () => ({ type: "null", value: null })),
  explicit("binary", (source) => ({ type: "bytes", value: base64(source) })),
  collection("map", "map"),
  collection("seq", "seq"),
  collection("omap", "seq"),
  collection("pairs", "seq"),
];

/** Tags of lists of one-key mappings, which are read as lists of `[key, value]`. */
export const PAIR_TAGS: ReadonlySet<string> = new Set([`${PREFIX}omap`, `${PREFIX}pairs`]);

function base64(source: string): Uint8Array {
  const compact = source.replace(/\s+/g, "");
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(compact) || compact.length % 4 === 1) throw new Error("not base64");
  return new Uint8Array(Buffer.from(compact, "base64"));
}
