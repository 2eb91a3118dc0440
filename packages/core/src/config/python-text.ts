/** How Python writes values, for interpolations inside text (`x${a}`) and for `oc.env` defaults: `True`, `None`, `1e-07`, `{'a': [1]}`. */
import type { ConfigNode, ScalarNode } from "./node.ts";

/** `str(value)`. */
export function pythonStr(node: ConfigNode): string {
  return node.kind === "scalar" && typeof node.value === "string" ? node.value : pythonRepr(node);
}

/** `repr(value)`. */
export function pythonRepr(node: ConfigNode): string {
  if (node.kind === "list") return `[${node.items.map(pythonRepr).join(", ")}]`;
  if (node.kind === "map")
    return `{${[...node.entries.values()].map(({ key, value }) => `${pythonRepr(key)}: ${pythonRepr(value)}`).join(", ")}}`;
  return scalarRepr(node);
}

function scalarRepr({ type, value }: ScalarNode): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return stringRepr(value);
  if (value instanceof Uint8Array) return `b${stringRepr(Buffer.from(value).toString("latin1"))}`;
  return type === "float" ? pythonFloat(Number(value)) : String(value);
}

function stringRepr(value: string): string {
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this escapes
  const body = value.replace(/[\\\u0000-\u001f\u007f-\u00a0\u00ad]/g, escaped);
  return quote + body.replaceAll(quote, `\\${quote}`) + quote;
}

function escaped(character: string): string {
  const short: Record<string, string> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
  return short[character] ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
}

/** `repr(float)`: the shortest digits that read back, an exponent below 1e-4 and from 1e16 on. */
export function pythonFloat(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (Object.is(value, -0)) return "-0.0";
  const [mantissa = "0", exponentText = "0"] = value.toExponential().split("e");
  const exponent = Number(exponentText);
  if (value !== 0 && (exponent < -4 || exponent >= 16)) {
    const size = Math.abs(exponent).toString().padStart(2, "0");
    return `${mantissa}e${exponent < 0 ? "-" : "+"}${size}`;
  }
  const plain = exponent >= 0 ? BigInt(Math.trunc(value)).toString() : "";
  const text = exponent >= 0 && Number.isInteger(value) ? `${value < 0 && !plain.startsWith("-") ? "-" : ""}${plain}` : String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}
