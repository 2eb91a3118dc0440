/** The functions of Hydra's grammar: casts are evaluated; sweeps make several runs, which no command here is. */
import type { Argument, OverrideValue } from "./override-value.ts";
import { pythonFloat } from "./python-text.ts";
import type { Typed } from "./words.ts";
import { small } from "./yaml-scalars.ts";

type Fail = (message: string) => never;

const CASTS: Record<string, (value: Typed, fail: Fail) => Typed> = { int: toInt, float: toFloat, str: toText, bool: toBool };
/** Sweep functions and how few and many arguments they take. */
const SWEEPS: Record<string, [min: number, max: number]> = {
  choice: [1, Number.POSITIVE_INFINITY],
  range: [1, 3],
  interval: [2, 2],
  glob: [1, 2],
  sort: [1, Number.POSITIVE_INFINITY],
  shuffle: [1, Number.POSITIVE_INFINITY],
  tag: [1, Number.POSITIVE_INFINITY],
};

export function callFunction(name: string, args: readonly Argument[], fail: Fail): OverrideValue {
  const cast = Object.hasOwn(CASTS, name) ? CASTS[name] : undefined;
  if (cast !== undefined) return castCall(name, cast, args, fail);
  const arity = Object.hasOwn(SWEEPS, name) ? SWEEPS[name] : undefined;
  if (arity === undefined) return fail(`Unknown function '${name}'. Quote the text if it is none: '${name}(...)'`);
  if (args.length < arity[0] || args.length > arity[1]) return fail(`${name}() does not take ${args.length} arguments`);
  return { kind: "sweep", name: `${name}()` };
}

function castCall(name: string, cast: (value: Typed, fail: Fail) => Typed, args: readonly Argument[], fail: Fail): OverrideValue {
  const [only] = args;
  if (only === undefined) return fail(`${name}() needs a value`);
  if (args.length > 1) return { kind: "sweep", name: `${name}() of several values` };
  if (only.name !== undefined && only.name !== "value") return fail(`${name}() has no argument '${only.name}'`);
  return castValue(only.value, (typed) => cast(typed, (message) => fail(`${name}(): ${message}`)));
}

function castValue(value: OverrideValue, cast: (typed: Typed) => Typed): OverrideValue {
  if (value.kind === "word") return { kind: "word", typed: cast(value.typed) };
  if (value.kind === "list") return { kind: "list", items: value.items.map((item) => castValue(item, cast)) };
  if (value.kind === "map")
    return { kind: "map", entries: value.entries.map((entry) => ({ ...entry, value: castValue(entry.value, cast) })) };
  return value;
}

function toInt({ type, value }: Typed, fail: Fail): Typed {
  if (type === "bool") return { type: "int", value: value === true ? 1 : 0 };
  if (type === "int") return { type, value };
  if (type === "float" && Number.isFinite(value)) return { type: "int", value: small(BigInt(Math.trunc(Number(value)))) };
  const digits = String(value).trim();
  if (type === "str" && /^[+-]?[0-9](?:_?[0-9])*$/.test(digits))
    return { type: "int", value: small(BigInt(digits.replaceAll("_", "").replace(/^\+/, ""))) };
  return fail(`'${value}' is no integer`);
}

function toFloat({ type, value }: Typed, fail: Fail): Typed {
  if (type === "bool") return { type: "float", value: value === true ? 1 : 0 };
  if (type === "int" || type === "float") return { type: "float", value: Number(value) };
  const digits = String(value).trim().replaceAll("_", "");
  if (type === "str" && /^[+-]?(?:inf(?:inity)?|nan)$/i.test(digits)) {
    return {
      type: "float",
      value: /nan/i.test(digits) ? Number.NaN : digits.startsWith("-") ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY,
    };
  }
  if (type === "str" && /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?$/i.test(digits))
    return { type: "float", value: Number(digits) };
  return fail(`'${value}' is no number`);
}

function toText({ type, value }: Typed): Typed {
  return { type: "str", value: type === "float" ? pythonFloat(Number(value)) : String(value) };
}

function toBool({ type, value }: Typed, fail: Fail): Typed {
  if (type !== "str") return { type: "bool", value: type === "float" ? Number(value) !== 0 : Boolean(value) };
  const word = String(value).toLowerCase();
  if (word === "true" || word === "false") return { type: "bool", value: word === "true" };
  return fail(`'${value}' is neither true nor false`);
}
