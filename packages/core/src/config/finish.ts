/** The tree of a finished configuration as commands and servers use it. */
import { GymError } from "../errors/index.ts";
import { explainKey } from "./explain.ts";
import { InterpolationFailure, Interpolator } from "./interpolate.ts";
import { type ConfigNode, get, isText, type MapNode, pathText } from "./node.ts";
import { checkBounds, toPlain } from "./plain.ts";
import { maskNode, maskText } from "./secrets.ts";
import { type Block, blocks } from "./server-types.ts";
import type { LoadedConfig, ServerInstance } from "./types.ts";
import { emitYaml } from "./yaml-emit.ts";

export interface FinishOptions {
  env: Record<string, string | undefined>;
  notices: string[];
  /** Instances that the load made itself. */
  generated: ReadonlySet<string>;
}

export const DEFAULT_HOST = "127.0.0.1";
export const DEFAULT_HEAD_PORT = 11000;

export function finish(tree: MapNode, { env, notices, generated }: FinishOptions): LoadedConfig {
  checkBounds(tree, "The configuration");
  const interpolator = new Interpolator(tree, env);
  const read = (path: string): unknown => toPlain(resolveAt(interpolator, parsePath(path)));
  const lookup = (path: string): unknown => {
    try {
      return toPlain(interpolator.read(parsePath(path)));
    } catch (error) {
      const absent = error instanceof InterpolationFailure && (error.kind === "missing-key" || error.kind === "not-a-container");
      if (absent && error.subject === pathText(parsePath(path))) return undefined;
      throw asGymError(error, path);
    }
  };
  const head = get(tree, "head_server");
  return {
    raw: toPlain(tree) as Record<string, unknown>,
    tree,
    resolved: (path) => (path === undefined ? read("") : lookup(path)),
    get: <T>(key: string) => lookup(key) as T | undefined,
    servers: instancesOf(tree, interpolator, generated),
    headServer: { host: hostOf(head, interpolator), port: portOf(head, interpolator) },
    yaml: ({ resolve = false, mask = false } = {}) => {
      const masked = mask ? (maskNode(tree) as MapNode) : tree;
      return emitYaml(resolve ? resolveAt(new Interpolator(masked, env), []) : masked);
    },
    notices,
    explainKey: (path) => explainKey(tree, parsePath(path)),
  };
}

/** Instances in file order. Blocks whose values do not resolve (a child that lacks a variable) keep their text. */
export function instancesOf(tree: MapNode, interpolator: Interpolator, generated: ReadonlySet<string>): ServerInstance[] {
  return blocks(tree)
    .filter(({ fields }) => isText(get(fields, "entrypoint")))
    .map((block) => instanceOf(block, interpolator, generated));
}

export function instanceOf(
  { instance, type, implementation, fields }: Block,
  interpolator: Interpolator,
  generated: ReadonlySet<string>,
): ServerInstance {
  let block: Record<string, unknown>;
  try {
    block = toPlain(interpolator.whole({ node: fields, path: [instance, type, implementation] })) as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof InterpolationFailure)) throw error;
    block = toPlain(fields) as Record<string, unknown>;
  }
  return { name: instance, type, implementation, block, ...(generated.has(instance) ? { generated: true as const } : {}) };
}

/** `a.b[1].c` as steps. */
export function parsePath(path: string): (string | number)[] {
  if (path === "") return [];
  return path
    .replace(/\[(\d+)\]/g, ".$1")
    .split(".")
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

function resolveAt(interpolator: Interpolator, path: (string | number)[]): ConfigNode {
  try {
    return path.length === 0 ? interpolator.whole({ node: interpolator.root, path: [] }) : interpolator.read(path);
  } catch (error) {
    throw asGymError(error, path.join("."));
  }
}

function asGymError(error: unknown, path: string): unknown {
  if (!(error instanceof InterpolationFailure)) return error;
  return new GymError(
    "NG_ERR_INTERPOLATION",
    `${path === "" ? "The configuration" : `'${path}'`} does not resolve: ${maskText(error.message)}.`,
    { details: { kind: error.kind, subject: error.subject } },
  );
}

function hostOf(head: ConfigNode | undefined, interpolator: Interpolator): string {
  const host = get(head, "host");
  if (host === undefined) return DEFAULT_HOST;
  const value = interpolator.follow({ node: host, path: ["head_server", "host"] }).node;
  return isText(value) ? value.value : DEFAULT_HOST;
}

function portOf(head: ConfigNode | undefined, interpolator: Interpolator): number | null {
  const port = get(head, "port");
  if (port === undefined) return head?.kind === "map" ? DEFAULT_HEAD_PORT : null;
  const value = interpolator.follow({ node: port, path: ["head_server", "port"] }).node;
  const number = value.kind === "scalar" && value.value !== null ? Number(value.value) : Number.NaN;
  return Number.isInteger(number) ? number : null;
}
