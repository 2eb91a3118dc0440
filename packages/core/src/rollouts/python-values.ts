/**
 * JSON values with the difference that Python sees and JavaScript does not: `1.0` is a float, `1` an integer of any size. Needed where a value becomes text the
 * way Python writes it: prompt templates, and JSON text inside `metadata.extra_body`.
 */

/** A number whose JSON text had a fraction or an exponent. */
export class PythonFloat {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

/** Largest integer kept as a JavaScript number; larger ones become bigint. */
const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** JSON.parse that keeps floats apart from integers. @throws SyntaxError */
export function parsePython(text: string): unknown {
  const revive = (_key: string, value: unknown, context?: { source?: string }): unknown => {
    const source = context?.source;
    if (typeof value !== "number" || source === undefined) return value;
    if (/[.eE]/.test(source)) return new PythonFloat(value);
    const integer = BigInt(source);
    return integer > SAFE || integer < -SAFE ? integer : value;
  };
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown);
}

/** `repr` of a float: shortest digits, exponent from 1e16 up and below 1e-4, always with a point or an exponent. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (Object.is(value, -0)) return "-0.0";
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e16 || size < 1e-4)) {
    const [digits, exponent] = value.toExponential().split("e") as [string, string];
    return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
  }
  const text = size >= 1e21 ? BigInt(value).toString() : String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/** `str(value)`. */
export function strOf(value: unknown): string {
  return typeof value === "string" ? value : reprOf(value);
}

/** `repr(value)` of a JSON value. */
export function reprOf(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (value instanceof PythonFloat) return floatText(value.value);
  if (typeof value === "number") return Number.isInteger(value) && Math.abs(value) < 1e21 ? String(value) : floatText(value);
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return `[${value.map(reprOf).join(", ")}]`;
  return `{${Object.entries(value)
    .map(([key, item]) => `${quoted(key)}: ${reprOf(item)}`)
    .join(", ")}}`;
}

const ESCAPES: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\" };

function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  // Python leaves printable characters as they are: letters, marks, numbers, punctuation, symbols and the plain blank.
  const body = text.replace(/[\\'"]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, (char) => {
    if (char === "'" || char === '"') return char === quote ? `\\${char}` : char;
    const known = ESCAPES[char];
    if (known !== undefined) return known;
    const code = char.codePointAt(0) as number;
    if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
    return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
  });
  return quote + body + quote;
}

/** `json.dumps(value)`: blanks after `,` and `:`, everything beyond ASCII escaped. */
export function dumpsPython(value: unknown): string {
  if (value instanceof PythonFloat) return floatText(value.value);
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number") return reprOf(value);
  if (typeof value === "string")
    return JSON.stringify(value).replace(/[\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
  if (Array.isArray(value)) return `[${value.map(dumpsPython).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    return `{${Object.entries(value)
      .map(([key, item]) => `${dumpsPython(key)}: ${dumpsPython(item)}`)
      .join(", ")}}`;
  }
  return JSON.stringify(value) ?? "null";
}
