/**
 * `_inherit_from`, `_copy`, `_delete_key` and `${inherit_from:a.b}`, `${copy:a.b}`: one pass over the merged tree. Sources are what the tree was
 * before the pass, with their own directives carried out first; sources that something inherits disappear.
 */

import { addInterpolationProblem } from "./dangling.ts";
import { InterpolationFailure, Interpolator } from "./interpolate.ts";
import { MergeConflict, merge } from "./merge.ts";
import {
  type ConfigNode,
  get,
  isInterpolation,
  isText,
  isUnset,
  keyText,
  list,
  type MapEntry,
  type MapNode,
  mapFromEntries,
  pathText,
  scalar,
  UNSET,
  withoutEntry,
  withoutPaths,
} from "./node.ts";
import type { Problems } from "./problems.ts";
import type { Origin } from "./source.ts";

const TEXT_FORM = /^\$\{(inherit_from|copy):([^}]*)\}/;
const DIRECTIVE_KEYS = ["_inherit_from", "_copy", "_delete_key"] as const;

type Path = readonly string[];

/** A top-level move: the value of `from` is now that of `to`. */
export interface Move {
  from: string;
  to: string;
}

export interface Directed {
  root: MapNode;
  moves: Move[];
}

export function applyDirectives(root: MapNode, env: Record<string, string | undefined>, problems: Problems): Directed {
  const pass = new Pass(root, env, problems);
  const result = pass.run();
  return { root: withoutPaths(result, pass.removed), moves: pass.moves };
}

class Pass {
  readonly removed: Path[] = [];
  readonly moves: Move[] = [];
  private readonly done = new Map<string, ConfigNode>();
  private readonly open: string[] = [];
  private readonly root: MapNode;
  private readonly env: Record<string, string | undefined>;
  private readonly problems: Problems;
  private readonly interpolator: Interpolator;

  constructor(root: MapNode, env: Record<string, string | undefined>, problems: Problems) {
    this.root = root;
    this.env = env;
    this.problems = problems;
    this.interpolator = new Interpolator(root, env);
  }

  /** The top level itself is no target: directives there are plain keys. */
  run(): MapNode {
    const entries = new Map<string, MapEntry>();
    for (const [id, { key, value }] of this.root.entries) entries.set(id, { key, value: this.expand(value, [keyText(key)]) });
    return mapFromEntries(entries, this.root.at, this.root.over);
  }

  private expand(node: ConfigNode, path: Path): ConfigNode {
    if (!hasWork(node)) return node;
    const name = path.join("\0");
    const done = this.done.get(name);
    if (done !== undefined) return done;
    this.open.push(name);
    const result = this.expandNode(node, path);
    this.open.pop();
    this.done.set(name, result);
    return result;
  }

  private expandNode(node: ConfigNode, path: Path): ConfigNode {
    if (node.kind === "scalar") return this.textForm(node, path);
    if (node.kind === "list")
      return list(
        node.items.map((item, index) => this.element(item, [...path, String(index)])),
        node.at,
      );
    const own = mapFromEntries(
      new Map(
        [...node.entries].map(([id, { key, value }]) => [
          id,
          { key, value: isDirectiveKey(keyText(key)) ? value : this.expand(value, [...path, keyText(key)]) },
        ]),
      ),
      node.at,
      node.over,
    );
    return this.propertyForm(own, path);
  }

  /** An element of a list is no target, but what lies below a mapping in a list is. */
  private element(item: ConfigNode, path: Path): ConfigNode {
    if (item.kind !== "map") return item;
    return mapFromEntries(
      new Map(
        [...item.entries].map(([id, { key, value }]) => [
          id,
          { key, value: isDirectiveKey(keyText(key)) ? value : this.expand(value, [...path, keyText(key)]) },
        ]),
      ),
      item.at,
      item.over,
    );
  }

  private textForm(node: ConfigNode, path: Path): ConfigNode {
    const [, directive, source = ""] = TEXT_FORM.exec(isText(node) ? node.value : "") ?? [];
    if (directive === undefined) return node;
    const found = this.source(source.trim(), node.at, path);
    if (found === undefined) return node;
    if (directive === "inherit_from") this.move(source.trim(), path);
    return { ...found, over: node };
  }

  private propertyForm(own: MapNode, path: Path): ConfigNode {
    const copy = this.directive(own, "_copy", path);
    const inherit = this.directive(own, "_inherit_from", path);
    const source = copy ?? inherit;
    const deletions = this.deletions(own, path);
    let local = DIRECTIVE_KEYS.reduce((node, key) => withoutEntry(node, key), own);
    if (source === undefined) return deletions.reduce(withoutEntry, local);
    const found = this.source(source.path, source.at, path);
    // With both, the copy is the source and yet disappears: the reference does so, and files rely on what it gives.
    if (inherit !== undefined && found !== undefined) this.move(source.path, path);
    if (found === undefined || isUnset(found)) return found ?? local;
    const remaining = deletions.filter((key) => get(local, key) === undefined);
    local = deletions.reduce(withoutEntry, local);
    if (found.kind !== "map") {
      this.problems.add({
        message: `'${pathText(path)}' takes over '${source.path}', which is no mapping, so its own keys have no place.`,
        key: pathText(path),
        at: source.at,
        fix: `${pathText(path)}: \${copy:${source.path}}`,
      });
      return local;
    }
    return this.without(this.combine(found, local, path), remaining, path, source.at);
  }

  private combine(found: MapNode, local: MapNode, path: Path): MapNode {
    try {
      return merge(found, local, this.env) as MapNode;
    } catch (error) {
      if (!(error instanceof MergeConflict)) throw error;
      const key = pathText([...path, ...error.path]);
      this.problems.add({ message: `At '${key}' ${error.message}.`, key, at: error.at });
      return local;
    }
  }

  private without(node: MapNode, keys: readonly string[], path: Path, at: Origin): MapNode {
    return keys.reduce((left, key) => {
      if (get(left, key) !== undefined) return withoutEntry(left, key);
      const names = [...left.entries.values()].map((entry) => keyText(entry.key));
      const suggestion = this.problems.suggestion(key, () => names);
      this.problems.add({
        message: `_delete_key names '${pathText([...path, key])}', which neither '${pathText(path)}' nor its source has.`,
        key: pathText(path),
        at,
        suggestion,
      });
      return left;
    }, node);
  }

  private directive(own: MapNode, name: "_copy" | "_inherit_from", path: Path): { path: string; at: Origin } | undefined {
    const value = get(own, name);
    if (value === undefined) return undefined;
    if (isText(value)) return { path: value.value.trim(), at: value.at };
    this.problems.add({
      message: `'${pathText([...path, name])}' must be the dotted path of a value.`,
      key: pathText([...path, name]),
      at: value.at,
      expected: "a text",
    });
    return undefined;
  }

  private deletions(own: MapNode, path: Path): string[] {
    const value = get(own, "_delete_key");
    if (value === undefined) return [];
    if (isText(value))
      return value.value
        .split(",")
        .map((key) => key.trim())
        .filter((key) => key !== "");
    this.problems.add({
      message: `'${pathText([...path, "_delete_key"])}' must be key names with commas between.`,
      key: pathText([...path, "_delete_key"]),
      at: value.at,
      expected: "a text such as 'a, b'",
    });
    return [];
  }

  /** The value at a source path with its directives carried out; unset if it or what holds it is; undefined after a problem. */
  private source(dotted: string, at: Origin, target: Path): ConfigNode | undefined {
    const path = dotted.split(".");
    let node: ConfigNode = this.root;
    let walked: string[] = [];
    for (const step of path) {
      if (walked.length > 0) {
        const ready = this.ready(node, walked, step, at);
        if (ready === undefined) return undefined;
        node = ready;
      }
      if (isUnset(node)) return scalar("str", UNSET, at);
      const next: ConfigNode | undefined = get(node, step);
      if (next === undefined) return this.missing(dotted, node, step, target, at);
      walked = [...walked, step];
      node = next;
    }
    return this.ready(node, walked, undefined, at);
  }

  /** A node on the way to a source: expanded, interpolation followed. While it is being expanded, its own keys still serve. */
  private ready(node: ConfigNode, path: Path, next: string | undefined, at: Origin): ConfigNode | undefined {
    const name = path.join("\0");
    if (this.open.includes(name)) {
      if (next !== undefined && get(node, next) !== undefined) return node;
      return this.cycle(name, at);
    }
    const expanded = this.expand(node, path);
    if (!isInterpolation(expanded) || TEXT_FORM.test(expanded.value)) return expanded;
    try {
      return this.interpolator.follow({ node: expanded, path }).node;
    } catch (error) {
      if (!(error instanceof InterpolationFailure)) throw error;
      addInterpolationProblem(this.problems, error, { node: expanded, path }, this.root);
      return undefined;
    }
  }

  private cycle(name: string, at: Origin): undefined {
    const chain = [...this.open.slice(this.open.indexOf(name)), name].map((item) => pathText(item.split("\0")));
    this.problems.add({
      message: `_inherit_from and _copy go round in a circle: ${chain.join(" -> ")}.`,
      ...(chain[0] === undefined ? {} : { key: chain[0] }),
      at,
    });
    return undefined;
  }

  private missing(dotted: string, node: ConfigNode, step: string, target: Path, at: Origin): undefined {
    const names = node.kind === "map" ? [...node.entries.values()].map((entry) => keyText(entry.key)) : [];
    const suggestion = this.problems.suggestion(step, () => names);
    this.problems.add({
      message: `'${pathText(target)}' takes over '${dotted}', which is not in the configuration: there is no '${step}'.`,
      key: pathText(target),
      at,
      suggestion,
    });
    return undefined;
  }

  private move(source: string, target: Path): void {
    const path = source.split(".");
    this.removed.push(path);
    if (path.length === 1 && target.length === 1 && target[0] !== undefined) this.moves.push({ from: source, to: target[0] });
  }
}

const worked = new WeakMap<ConfigNode, boolean>();

/** Whether a branch holds any directive; branches without are shared as they are. */
function hasWork(node: ConfigNode): boolean {
  if (node.kind === "scalar") return isText(node) && TEXT_FORM.test(node.value);
  const known = worked.get(node);
  if (known !== undefined) return known;
  const found =
    node.kind === "list"
      ? node.items.some((item) => item.kind === "map" && hasWork(item))
      : [...node.entries.values()].some(({ key, value }) => isDirectiveKey(keyText(key)) || hasWork(value));
  worked.set(node, found);
  return found;
}

function isDirectiveKey(key: string): boolean {
  return (DIRECTIVE_KEYS as readonly string[]).includes(key);
}
