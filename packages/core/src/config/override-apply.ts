/** A whole command line of override tokens to one tree, by Hydra's rules for a run without a primary configuration. */
import { GymError } from "../errors/index.ts";
import { MAX_DEPTH, MAX_OVERRIDES } from "./limits.ts";
import { MergeConflict, merge } from "./merge.ts";
import {
  type ConfigNode,
  getPath,
  isNull,
  isUnset,
  list,
  type MapNode,
  map,
  mapFromEntries,
  replacing,
  withEntry,
  withoutEntry,
} from "./node.ts";
import { type Override, overrideOrigin, parseOverride } from "./override-parse.ts";
import { OverrideSyntaxError } from "./override-value.ts";
import { toPlain } from "./plain.ts";
import type { Problems } from "./problems.ts";
import { pythonRepr } from "./python-text.ts";
import { madeUp } from "./source.ts";
import { didYouMean } from "./suggest.ts";

/** Hydra's own command-line flags, which mean nothing here, and how many values each takes. */
const HYDRA_FLAGS: Record<string, number> = {
  "--help": 0,
  "-h": 0,
  "--hydra-help": 0,
  "--multirun": 0,
  "-m": 0,
  "--run": 0,
  "-r": 0,
  "--resolve": 0,
  "--experimental-rerun": 1,
  "--config-path": 1,
  "-cp": 1,
  "--config-name": 1,
  "-cn": 1,
  "--config-dir": 1,
  "-cd": 1,
};
/** Names below `hydra.` that Hydra knows; its settings are accepted and ignored. */
const HYDRA_SETTINGS = new Set([
  "mode",
  "searchpath",
  "run",
  "sweep",
  "hydra_logging",
  "job_logging",
  "env",
  "sweeper",
  "launcher",
  "callbacks",
  "help",
  "hydra_help",
  "output_subdir",
  "overrides",
  "job",
  "runtime",
  "choices",
  "verbose",
  "defaults",
]);

/** Levels of a key and its value; past the depth of a configuration only to tell it as what it is. */
const MAX_KEY_DEPTH = 2 * MAX_DEPTH;

class OverrideRefusal extends Error {
  readonly fix: string | undefined;

  constructor(message: string, fix?: string) {
    super(message);
    this.fix = fix;
  }
}

/** Applies the tokens in order; whatever is wrong goes to `problems`. Throws NG_ERR_USAGE for a flag that is none of Hydra's. */
export function applyOverrides(argv: readonly string[], problems: Problems): MapNode {
  let tree: MapNode = map({}, madeUp("override", "command line"));
  if (argv.length > MAX_OVERRIDES) {
    problems.add({
      code: "NG_ERR_OVERRIDE",
      message: `The command line has ${argv.length} tokens; the limit is ${MAX_OVERRIDES}.`,
      fix: "put them into a file",
    });
    return tree;
  }
  for (const token of overrideTokens(argv)) {
    try {
      tree = apply(tree, parseOverride(token));
    } catch (error) {
      if (error instanceof OverrideSyntaxError) {
        const at = overrideOrigin(token, error.offset);
        problems.add({
          code: "NG_ERR_OVERRIDE",
          message: `The override ${at.source.text} does not parse: ${error.message}.`,
          at,
          fix: "Put texts with special characters in quotes: \"+key='a=b, c'\"",
        });
      } else if (error instanceof OverrideRefusal || error instanceof MergeConflict) {
        const at = overrideOrigin(token, 0);
        problems.add({
          code: "NG_ERR_OVERRIDE",
          message: `${at.source.text}: ${error.message}.`,
          at,
          ...(error instanceof OverrideRefusal && error.fix !== undefined ? { fix: error.fix } : {}),
        });
      } else throw error;
    }
  }
  return tree;
}

/** The tokens of a command line without Hydra's flags. */
export function overrideTokens(argv: readonly string[]): string[] {
  const tokens: string[] = [];
  for (let index = 0; index < argv.length; index++) {
    const token = argv[index] ?? "";
    if (!/^-{1,2}[A-Za-z]/.test(token)) {
      tokens.push(token);
      continue;
    }
    const values = HYDRA_FLAGS[token.split("=")[0] ?? token];
    if (values === undefined) {
      const hint = didYouMean(token, Object.keys(HYDRA_FLAGS)) ?? "Settings are given as +key=value.";
      throw new GymError("NG_ERR_USAGE", `Unknown option '${token}'.`, { hint });
    }
    if (!token.includes("=")) index += values;
  }
  return tokens;
}

function apply(tree: MapNode, override: Override): MapNode {
  const { key, token } = override;
  if (key.split(".").length + (override.value?.depth ?? 0) > MAX_KEY_DEPTH)
    throw new OverrideRefusal(`nested deeper than ${MAX_KEY_DEPTH} levels`);
  if (key === "hydra" || key.startsWith("hydra.") || key.startsWith("hydra/")) return hydraSetting(tree, key);
  if (override.sweep !== undefined) {
    throw new OverrideRefusal(`${override.sweep} asks for several runs, and a command is one`, "Write a list as [a,b], or quote the text.");
  }
  if (override.package !== undefined)
    throw new OverrideRefusal(`'${key}@${override.package}' names a configuration group, and there are none here`);
  if (override.type === "DEL") return remove(tree, override);
  const value = override.value ?? map({}, override.at);
  const present = selected(tree, key);
  if (override.type === "ADD" && present !== undefined && value.kind === "scalar") {
    throw new OverrideRefusal(`a value is already at '${key}'`, `Write ++${token.replace(/^\+/, "")} to replace it.`);
  }
  if (override.type === "CHANGE" && !exists(tree, key)) {
    throw new OverrideRefusal(
      `'${key}' is not on the command line yet, so it cannot be changed`,
      `Write ++${token} to set it over files and env.yaml, or +${token} to add it.`,
    );
  }
  return set(tree, key.split("."), value);
}

function hydraSetting(tree: MapNode, key: string): MapNode {
  const name = /^hydra[./]([^./]*)/.exec(key)?.[1];
  if (name === undefined || !HYDRA_SETTINGS.has(name)) {
    throw new OverrideRefusal(
      `'${key}' is no setting of Hydra${name === undefined ? "" : `. ${didYouMean(name, HYDRA_SETTINGS) ?? ""}`.trimEnd()}`,
    );
  }
  return tree;
}

function steps(tree: ConfigNode, key: string): (string | number)[] {
  let node: ConfigNode | undefined = tree;
  return key.split(".").map((part) => {
    const step = node?.kind === "list" && /^\d+$/.test(part) ? Number(part) : part;
    node = getPath(node, [step]);
    return step;
  });
}

function exists(tree: MapNode, key: string): boolean {
  return getPath(tree, steps(tree, key)) !== undefined;
}

/** The value at a key, unless it is null or unset: those count as absent. */
function selected(tree: MapNode, key: string): ConfigNode | undefined {
  const node = getPath(tree, steps(tree, key));
  return isNull(node) || isUnset(node) ? undefined : node;
}

function remove(tree: MapNode, { key, value }: Override): MapNode {
  const present = selected(tree, key);
  if (present === undefined)
    throw new OverrideRefusal(
      `'${key}' cannot be deleted: it is not on the command line`,
      "Only what an earlier override of the same command made can be deleted; use _delete_key in a file.",
    );
  if (value !== undefined && !isNull(value) && !same(present, value))
    throw new OverrideRefusal(`'${key}' is ${pythonRepr(present)} and not ${pythonRepr(value)}, so it is not deleted`);
  return removeAt(tree, key.split("."));
}

function removeAt(node: MapNode, path: readonly string[]): MapNode {
  const [key = "", ...rest] = path;
  if (rest.length === 0) return withoutEntry(node, key);
  const child = getPath(node, [key]);
  if (child?.kind !== "map") throw new OverrideRefusal("an element of a list cannot be deleted");
  return withEntry(node, key, removeAt(child, rest));
}

function same(a: ConfigNode, b: ConfigNode): boolean {
  const plain = (node: ConfigNode): string =>
    JSON.stringify(toPlain(node), (_key, value) => (typeof value === "bigint" ? `${value}n` : value));
  return plain(a) === plain(b);
}

function set(node: ConfigNode, path: readonly string[], value: ConfigNode): MapNode {
  return setIn(node, path, value) as MapNode;
}

function setIn(node: ConfigNode, path: readonly string[], value: ConfigNode): ConfigNode {
  const [key, ...rest] = path;
  if (key === undefined) return container(node) && container(value) ? merge(node, value, {}) : replacing(value, node);
  if (node.kind === "list") return setItem(node.items, key, rest, value, node);
  if (isUnset(node)) throw new OverrideRefusal(`'${key}' cannot be set below a value that is unset (???)`);
  const parent = node.kind === "map" ? node : mapFromEntries(new Map(), value.at);
  const child = getPath(parent, [key]);
  if (child === undefined) return withEntry(parent, key, fresh(rest, value));
  return withEntry(parent, key, setIn(child, rest, value));
}

function setItem(items: readonly ConfigNode[], key: string, rest: readonly string[], value: ConfigNode, node: ConfigNode): ConfigNode {
  const index = /^\d+$/.test(key) ? Number(key) : -1;
  const item = items[index];
  if (item === undefined) throw new OverrideRefusal(`'${key}' is no position of a list of ${items.length}`);
  return list(items.with(index, setIn(item, rest, value)), node.at);
}

function fresh(path: readonly string[], value: ConfigNode): ConfigNode {
  return path.reduceRight<ConfigNode>((inner, key) => map([[key, inner]], value.at), value);
}

function container(node: ConfigNode): boolean {
  return node.kind !== "scalar";
}
