/**
 * What a plain scalar means: YAML 1.1 as PyYAML reads it, without timestamps and with OmegaConf's wider floats. These are the custom
 * tags that the `yaml` package's 1.1 schema is replaced with where it reads differently.
 */
import { MAX_INTEGER_DIGITS } from "./limits.ts";
import type { ScalarNode } from "./node.ts";

export interface Meaning {
  type: ScalarNode["type"];
  value: ScalarNode["value"];
}

const BOOL = /^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/;
const NULL = /^(?:~|null|Null|NULL|)$/;
const INT = /^[-+]?(?:0b[01_]+|0[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+|[1-9][0-9_]*(?::[0-5]?[0-9])+)$/;
const FLOAT_1_1 =
  /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const FLOAT_WIDER = /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+]?[0-9]+)?|[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+|\.[0-9_]+(?:[eE][-+][0-9]+)?)$/;
const TIMESTAMP =
  /^(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?)$/;

/** Value of a plain scalar. Throws a plain `Error` where a number does not read (`0b_`). */
export function meaningOf(source: string): Meaning {
  const first = source.charCodeAt(0);
  // Nearly every scalar is a word: only those that can be something else go through the patterns.
  if (BOOL.test(source)) return { type: "bool", value: truth(source) };
  if (NULL.test(source)) return { type: "null", value: null };
  if (!(first <= 57)) return { type: "str", value: source };
  if (FLOAT_1_1.test(source)) return { type: "float", value: floatOf(source) };
  if (INT.test(source)) return { type: "int", value: intOf(source) };
  if (FLOAT_WIDER.test(source)) return { type: "float", value: floatOf(source) };
  return { type: "str", value: source };
}

/** Whether a text must be quoted in a dump because YAML 1.1 would read it as something else (PyYAML's own, narrower floats). */
export function readsAsOther(source: string): boolean {
  return (
    BOOL.test(source) ||
    NULL.test(source) ||
    FLOAT_1_1.test(source) ||
    INT.test(source) ||
    TIMESTAMP.test(source) ||
    source === "=" ||
    source === "<<"
  );
}

export function truth(source: string): boolean {
  const word = source.toLowerCase();
  if (word === "yes" || word === "true" || word === "on") return true;
  if (word === "no" || word === "false" || word === "off") return false;
  throw new Error(`'${source}' is not a boolean`);
}

/** Integer with sign, underscores, binary, octal, hexadecimal and base 60. */
export function intOf(source: string): number | bigint {
  const digits = source.replaceAll("_", "");
  if (digits.length > MAX_INTEGER_DIGITS) throw new Error(`an integer of ${digits.length} digits; the limit is ${MAX_INTEGER_DIGITS}`);
  const negative = digits.startsWith("-");
  const magnitude = /^[-+]/.test(digits) ? digits.slice(1) : digits;
  const value = unsigned(magnitude, source);
  return small(negative ? -value : value);
}

function unsigned(digits: string, source: string): bigint {
  if (/^0x[0-9a-f]+$/i.test(digits) || /^0b[01]+$/.test(digits) || /^(?:0|[1-9][0-9]*)$/.test(digits)) return BigInt(digits);
  if (/^0[0-7]+$/.test(digits)) return BigInt(`0o${digits.slice(1)}`);
  if (/^[0-9]+(?::[0-9]+)+$/.test(digits)) return digits.split(":").reduce((sum, part) => sum * 60n + BigInt(part), 0n);
  throw new Error(`'${source}' is not an integer`);
}

export function small(value: bigint): number | bigint {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

/** Float with sign, underscores, base 60, infinity and NaN. */
export function floatOf(source: string): number {
  const digits = source.replaceAll("_", "").toLowerCase();
  const negative = digits.startsWith("-");
  const magnitude = /^[-+]/.test(digits) ? digits.slice(1) : digits;
  const value = unsignedFloat(magnitude, source);
  return negative ? -value : value;
}

function unsignedFloat(digits: string, source: string): number {
  if (digits === ".inf") return Number.POSITIVE_INFINITY;
  if (digits === ".nan") return Number.NaN;
  if (digits.includes(":")) {
    // The order of additions is the reference's, so that the last bit is too.
    let base = 1;
    let sum = 0;
    for (const part of digits.split(":").reverse()) {
      sum += Number(part) * base;
      base *= 60;
    }
    return sum;
  }
  if (!/^(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]+)?$/.test(digits)) throw new Error(`'${source}' is not a number`);
  return Number(digits);
}
