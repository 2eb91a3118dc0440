/** The resolvers of `${name:arguments}`: OmegaConf's, Hydra's, and the two directives, which evaluate to themselves here. */
import { InterpolationFailure, type Located, type ResolverContext } from "./interpolate.ts";
import { InterpolationSyntaxError, parseElement } from "./interpolation-grammar.ts";
import { type ConfigNode, isNull, isUnset, list, pathText, scalar, text } from "./node.ts";
import { pythonStr } from "./python-text.ts";
import { madeUp } from "./source.ts";

export type Resolver = (args: readonly ConfigNode[], context: ResolverContext, source: string) => ConfigNode | Located;

/** Version that `${python_version:}` and the configuration tell: there is no Python here, so it is the one the reference is built for. */
export const PYTHON_VERSION = "3.13.14";

const at = madeUp("generated", "resolver");

export const RESOLVERS: Record<string, Resolver> = {
  "oc.env": (args, { env }) => {
    const name = pythonStr(argument(args, 0, "oc.env", 1, 2));
    const value = env[name];
    if (value !== undefined) return text(value, at);
    const fallback = args[1];
    if (fallback === undefined) throw new InterpolationFailure("resolver", `Environment variable '${name}' is not set`, name);
    return isNull(fallback) ? fallback : text(pythonStr(fallback), at);
  },
  "oc.select": (args, context) => {
    const found = attempt(() => selectKey(pythonStr(argument(args, 0, "oc.select", 1, 2)), context));
    return found ?? args[1] ?? scalar("null", null, at);
  },
  "oc.decode": (args, { interpolator, path }) => {
    const value = argument(args, 0, "oc.decode", 1, 1);
    if (isNull(value)) return value;
    if (value.kind !== "scalar" || typeof value.value !== "string")
      throw new InterpolationFailure("resolver", "oc.decode takes a text or null");
    try {
      return interpolator.argument(parseElement(value.value), { node: value, path });
    } catch (error) {
      if (error instanceof InterpolationSyntaxError)
        throw new InterpolationFailure("resolver", `oc.decode cannot read its text: ${error.message}`);
      throw error;
    }
  },
  "oc.create": (args) => argument(args, 0, "oc.create", 1, 1),
  "oc.deprecated": (args, context) => {
    const key = pythonStr(argument(args, 0, "oc.deprecated", 1, 2));
    const found = selectKey(key, context);
    if (found === undefined) throw new InterpolationFailure("missing-key", `'${key}' is not in the configuration`, key);
    return found;
  },
  "oc.dict.keys": (args, context) => {
    const node = mapping(args, "oc.dict.keys", context);
    return list(
      [...node.entries.values()].map(({ key }) => key),
      at,
    );
  },
  "oc.dict.values": (args, context) => {
    const node = mapping(args, "oc.dict.values", context);
    return list(
      [...node.entries.values()].map(({ value }) => value),
      at,
    );
  },
  now: (args) => text(strftime(pythonStr(argument(args, 0, "now", 1, 1)), new Date()), at),
  hydra: () => {
    throw new InterpolationFailure("resolver", "hydra: has no values here; Hydra's settings are accepted and ignored");
  },
  python_version: (args) => {
    const level = args[0] === undefined ? "micro" : pythonStr(args[0]);
    const parts = { major: 1, minor: 2, micro: 3 }[level];
    return parts === undefined ? scalar("null", null, at) : text(PYTHON_VERSION.split(".").slice(0, parts).join("."), at);
  },
  inherit_from: (args, _context, source) => directive(args, "inherit_from", source),
  copy: (args, _context, source) => directive(args, "copy", source),
};

function directive(args: readonly ConfigNode[], name: string, source: string): ConfigNode {
  argument(args, 0, name, 1, 1);
  return text(source, at);
}

function argument(args: readonly ConfigNode[], index: number, name: string, min: number, max: number): ConfigNode {
  const value = args[index];
  if (args.length < min || args.length > max || value === undefined) {
    throw new InterpolationFailure(
      "resolver",
      `${name} takes ${min === max ? min : `${min} to ${max}`} argument(s), got ${args.length}`,
      name,
    );
  }
  return value;
}

function mapping(args: readonly ConfigNode[], name: string, context: ResolverContext) {
  const key = argument(args, 0, name, 1, 1);
  const node = key.kind === "map" ? key : selectKey(pythonStr(key), context)?.node;
  if (node?.kind !== "map") throw new InterpolationFailure("resolver", `${name} takes the path of a mapping`, pythonStr(key));
  return node;
}

/** A key of the configuration by its text: `a.b[0]`, or relative with dots. Unset counts as missing. */
function selectKey(key: string, { interpolator, path }: ResolverContext): Located | undefined {
  const dots = /^\.*/.exec(key)?.[0].length ?? 0;
  const keys = key
    .slice(dots)
    .replace(/\[([^\]]*)\]/g, ".$1")
    .split(".")
    .filter((part) => part !== "");
  const found = interpolator.select(keys, dots, path);
  if (found === undefined || isUnset(found.node)) return undefined;
  if (found.path.length <= path.length && pathText(found.path) === pathText(path.slice(0, found.path.length))) {
    throw new InterpolationFailure("cycle", `'${pathText(path)}' selects itself or what holds it`, key);
  }
  return interpolator.follow(found);
}

/** `oc.select` falls back where a key is missing or lies below an unset or plain value, not where things go round in a circle. */
function attempt(select: () => Located | undefined): Located | undefined {
  try {
    return select();
  } catch (error) {
    if (
      error instanceof InterpolationFailure &&
      (error.kind === "unset" || error.kind === "missing-key" || error.kind === "not-a-container")
    )
      return undefined;
    throw error;
  }
}

function strftime(format: string, time: Date): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  const fields: Record<string, string> = {
    Y: String(time.getFullYear()),
    y: two(time.getFullYear() % 100),
    m: two(time.getMonth() + 1),
    d: two(time.getDate()),
    H: two(time.getHours()),
    M: two(time.getMinutes()),
    S: two(time.getSeconds()),
    f: `${String(time.getMilliseconds()).padStart(3, "0")}000`,
    "%": "%",
  };
  return format.replace(/%([A-Za-z%])/g, (whole, letter: string) => fields[letter] ?? whole);
}
