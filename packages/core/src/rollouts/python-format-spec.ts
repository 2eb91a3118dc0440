/** Python's format specification mini-language for the values of a JSON row: `[[fill]align][sign][#][0][width][grouping][.precision][type]`. */
import { floatText, PythonFloat, strOf } from "./python-values.ts";

/** Widest field that a template may ask for. */
const MAX_WIDTH = 10_000;
/** Digits behind the point that `toFixed` gives. */
const MAX_FIXED_DIGITS = 100;
const SPEC = /^(?:(.)?([<>=^]))?([-+ ])?(z)?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([a-zA-Z%])?$/su;

interface Spec {
  fill: string;
  align: string | undefined;
  sign: string;
  alternate: boolean;
  width: number;
  grouping: string;
  precision: number | undefined;
  type: string | undefined;
}

/** @throws what `problem` makes of a message */
export function formatValue(value: unknown, specText: string, problem: (message: string) => Error): string {
  if (specText === "") return strOf(value);
  const match = SPEC.exec(specText);
  if (match === null) throw problem(`'${specText}' is not a format specification`);
  const zero = match[6] !== undefined;
  const spec: Spec = {
    fill: match[1] ?? (zero ? "0" : " "),
    align: match[2] ?? (zero ? "=" : undefined),
    sign: match[3] ?? "-",
    alternate: match[5] !== undefined,
    width: Number(match[7] ?? 0),
    grouping: match[8] ?? "",
    precision: match[9] === undefined ? undefined : Number(match[9]),
    type: match[10],
  };
  if (spec.width > MAX_WIDTH || (spec.precision ?? 0) > MAX_WIDTH)
    throw problem(`'${specText}' asks for more than ${MAX_WIDTH} characters`);
  const wrong = () => problem(`a ${kindOf(value)} cannot be written with the format '${specText}'`);
  if (typeof value === "string") {
    if ((spec.type !== undefined && spec.type !== "s") || spec.align === "=") throw wrong();
    const text = spec.precision === undefined ? value : [...value].slice(0, spec.precision).join("");
    return padded("", text, { ...spec, align: spec.align ?? "<" });
  }
  const number = typeof value === "boolean" ? Number(value) : value;
  if (number instanceof PythonFloat || (typeof number === "number" && !Number.isInteger(number))) {
    return real(number instanceof PythonFloat ? number.value : number, spec, wrong);
  }
  if (typeof number === "number" || typeof number === "bigint") return integer(number, spec, wrong);
  throw wrong();
}

function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "list" : typeof value;
}

function integer(value: number | bigint, spec: Spec, wrong: () => Error): string {
  const type = spec.type ?? "d";
  if ("eEfFgG%".includes(type)) return real(Number(value), spec, wrong);
  if (spec.precision !== undefined) throw wrong();
  const size = BigInt(value) < 0n ? -BigInt(value) : BigInt(value);
  const negative = BigInt(value) < 0n;
  const base = { d: 10, n: 10, b: 2, o: 8, x: 16, X: 16 }[type];
  if (type === "c") return padded("", String.fromCodePoint(Number(value)), { ...spec, align: spec.align ?? "<" });
  if (base === undefined) throw wrong();
  const digits = type === "X" ? size.toString(16).toUpperCase() : size.toString(base);
  const prefix = spec.alternate && base !== 10 ? `0${type}` : "";
  return padded(signOf(negative, spec) + prefix, grouped(digits, spec, base === 10 ? 3 : 4), spec);
}

function real(value: number, spec: Spec, wrong: () => Error): string {
  const negative = value < 0 || Object.is(value, -0);
  const size = Math.abs(value);
  const type = spec.type;
  let body: string;
  if (!Number.isFinite(size)) body = Number.isNaN(size) ? "nan" : "inf";
  else if (type === undefined && spec.precision === undefined) body = floatText(size);
  else if (type === "f" || type === "F") body = fixed(size, spec.precision ?? 6);
  else if (type === "%") body = `${fixed(size * 100, spec.precision ?? 6)}%`;
  else if (type === "e" || type === "E") body = exponent(size.toExponential(Math.min(spec.precision ?? 6, 100)));
  else if (type === undefined || type === "g" || type === "G" || type === "n") body = general(size, spec);
  else throw wrong();
  if (type === "E" || type === "F" || type === "G") body = body.toUpperCase();
  const [whole, rest] = splitNumber(body);
  return padded(signOf(negative, spec), grouped(whole, spec, 3) + rest, spec);
}

/** `toFixed` that rounds an exact half to the even digit, as Python does, and writes large numbers out. */
function fixed(size: number, digits: number): string {
  if (size >= 1e21) return digits === 0 ? BigInt(size).toString() : `${BigInt(size)}.${"0".repeat(digits)}`;
  const rounded = size.toFixed(Math.min(digits, MAX_FIXED_DIGITS)) + "0".repeat(Math.max(0, digits - MAX_FIXED_DIGITS));
  const exact = size.toFixed(MAX_FIXED_DIGITS);
  const cut = exact.indexOf(".") + 1 + digits;
  if (!/^50*$/.test(exact.slice(cut))) return rounded;
  const below = exact.slice(0, cut).replace(/\.$/, "");
  return Number(below.at(-1)) % 2 === 0 ? below : rounded;
}

/** The shortest of fixed and scientific notation with so many significant digits (C's %g). */
function general(size: number, spec: Spec): string {
  const precision = Math.max(1, Math.min(spec.precision ?? 6, 100));
  const scientific = size.toExponential(precision - 1);
  const power = size === 0 ? 0 : Number(scientific.slice(scientific.indexOf("e") + 1));
  const limit = spec.type === undefined ? precision - 1 : precision;
  const trim = (text: string) => (spec.alternate || !text.includes(".") ? text : text.replace(/\.?0+$/, ""));
  if (power < -4 || power >= limit) {
    const [digits, exp] = scientific.split("e") as [string, string];
    return exponent(`${trim(digits)}e${exp}`);
  }
  const text = trim(fixed(size, Math.max(0, precision - 1 - power)));
  return spec.type === undefined && !text.includes(".") ? `${text}.0` : text;
}

function exponent(text: string): string {
  return text.replace(/e([+-])(\d)$/, "e$10$2");
}

function splitNumber(body: string): [string, string] {
  const end = body.search(/[^0-9]/);
  return end < 0 ? [body, ""] : [body.slice(0, end), body.slice(end)];
}

function grouped(digits: string, spec: Spec, every: number): string {
  if (spec.grouping === "") return digits;
  return digits.replace(new RegExp(`\\B(?=(?:.{${every}})+$)`, "g"), spec.grouping);
}

function signOf(negative: boolean, spec: Spec): string {
  if (negative) return "-";
  return spec.sign === "-" ? "" : spec.sign;
}

function padded(prefix: string, body: string, spec: Spec): string {
  const missing = spec.width - [...prefix].length - [...body].length;
  if (missing <= 0) return prefix + body;
  const align = spec.align ?? ">";
  if (align === "=") return prefix + spec.fill.repeat(missing) + body;
  const left = align === "<" ? 0 : align === ">" ? missing : Math.floor(missing / 2);
  return spec.fill.repeat(left) + prefix + body + spec.fill.repeat(missing - left);
}
