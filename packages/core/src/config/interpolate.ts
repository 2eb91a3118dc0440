/**
 * Resolves interpolations against one tree, lazily and with memory: each `${...}` is evaluated once per place. Everything is counted, so that
 * texts that double or blocks that copy one another end in an error and not in memory.
 */

import { type Argument, type Interpolation, InterpolationSyntaxError, parseText, type TextPart } from "./interpolation-grammar.ts";
import { MAX_DEPTH, MAX_INTERPOLATIONS, MAX_NODES, MAX_TEXT_LENGTH, MAX_TOTAL_TEXT_LENGTH, MAX_WAITING } from "./limits.ts";
import {
  type ConfigNode,
  get,
  isInterpolation,
  isUnset,
  keyId,
  keyText,
  list,
  type MapEntry,
  type MapNode,
  mapFromEntries,
  pathText,
  scalar,
  type TextNode,
  text,
} from "./node.ts";
import { pythonStr } from "./python-text.ts";
import { RESOLVERS } from "./resolvers.ts";

export type Path = readonly (string | number)[];

/** A node and where it stands: relative interpolations start from there. */
export interface Located {
  node: ConfigNode;
  path: Path;
}

export type FailureKind = "missing-key" | "not-a-container" | "unset" | "cycle" | "resolver" | "unknown-resolver" | "syntax" | "bound";

export class InterpolationFailure extends Error {
  readonly kind: FailureKind;
  /** What the interpolation names: a key, a variable, a resolver. */
  readonly subject: string | undefined;

  constructor(kind: FailureKind, message: string, subject?: string) {
    super(message);
    this.kind = kind;
    this.subject = subject;
  }
}

export interface ResolverContext {
  env: Record<string, string | undefined>;
  /** Where the interpolation stands. */
  path: Path;
  interpolator: Interpolator;
}

export class Interpolator {
  readonly root: ConfigNode;
  private readonly env: Record<string, string | undefined>;
  private readonly known = new Map<string, Located>();
  private readonly open: string[] = [];
  private readonly written = new WeakMap<ConfigNode, string>();
  private evaluations = 0;
  private characters = 0;

  constructor(root: ConfigNode, env: Record<string, string | undefined>) {
    this.root = root;
    this.env = env;
  }

  /** The node at a path, interpolations followed on the way and at the end; unset marks inside stay. Throws `InterpolationFailure`. */
  read(path: Path): ConfigNode {
    const found = this.walk({ node: this.root, path: [] }, path);
    if (found === undefined)
      throw new InterpolationFailure("missing-key", `'${pathText(path)}' is not in the configuration`, pathText(path));
    if (isUnset(found.node)) throw new InterpolationFailure("unset", `'${pathText(path)}' is unset (???)`, pathText(path));
    return this.whole(found);
  }

  /** A copy of the node in which every interpolation is resolved. */
  whole(at: Located, budget: { nodes: number } = { nodes: MAX_NODES }, depth = 0): ConfigNode {
    if (--budget.nodes < 0) throw new InterpolationFailure("bound", `resolved interpolations unfold to more than ${MAX_NODES} values`);
    if (depth > MAX_DEPTH)
      throw new InterpolationFailure(
        "bound",
        `'${pathText(at.path)}' unfolds deeper than ${MAX_DEPTH} levels: blocks that hold one another?`,
      );
    const { node, path } = this.follow(at);
    const inside = (value: ConfigNode, step: string | number): ConfigNode =>
      this.whole({ node: value, path: [...path, step] }, budget, depth + 1);
    if (node.kind === "list") return list(node.items.map(inside), node.at);
    if (node.kind === "scalar") return node;
    const entries = new Map<string, MapEntry>();
    for (const [id, { key, value }] of node.entries) entries.set(id, { key, value: inside(value, keyText(key)) });
    return mapFromEntries(entries, node.at);
  }

  /** Follows the interpolation that a node is, if it is one; what comes back is none. */
  follow(at: Located): Located {
    if (!isInterpolation(at.node)) return at;
    const name = pathText(at.path);
    const memo = `${name}\n${at.node.value}`;
    const known = this.known.get(memo);
    if (known !== undefined) return known;
    if (this.open.includes(memo)) throw this.cycle(memo);
    if (this.open.length >= MAX_WAITING)
      throw new InterpolationFailure("bound", `more than ${MAX_WAITING} interpolations wait for one another`);
    this.open.push(memo);
    try {
      const result = this.evaluate(at, parse(at.node.value));
      this.known.set(memo, result);
      return result;
    } finally {
      this.open.pop();
    }
  }

  /** Everything in one text that does not resolve. */
  failures(at: Located): InterpolationFailure[] {
    if (!isInterpolation(at.node)) return [];
    try {
      this.follow(at);
      return [];
    } catch (error) {
      if (!(error instanceof InterpolationFailure)) throw error;
      if (error.kind === "syntax" || error.kind === "cycle" || error.kind === "bound") return [error];
      return this.partFailures(at, error);
    }
  }

  private partFailures(at: Located, first: InterpolationFailure): InterpolationFailure[] {
    const found: InterpolationFailure[] = [];
    for (const part of parse((at.node as TextNode).value)) {
      if (typeof part === "string") continue;
      try {
        this.interpolation(part, at);
      } catch (error) {
        if (!(error instanceof InterpolationFailure)) throw error;
        found.push(error);
      }
    }
    return found.length > 0 ? found : [first];
  }

  /** Steps from a located node down a path, through interpolations. Undefined where a key is missing. */
  walk(from: Located, path: Path): Located | undefined {
    let current = from;
    for (const [index, step] of path.entries()) {
      current = this.follow(current);
      const { node } = current;
      if (isUnset(node)) throw new InterpolationFailure("unset", `'${pathText(current.path)}' is unset (???)`, pathText(current.path));
      if (node.kind === "scalar") {
        throw new InterpolationFailure(
          "not-a-container",
          `'${pathText(path.slice(0, index))}' has no keys, so '${pathText(path)}' does not exist`,
          pathText(path),
        );
      }
      const next = node.kind === "map" ? get(node, String(step)) : node.items[/^\d+$/.test(String(step)) ? Number(step) : -1];
      if (next === undefined) return undefined;
      current = { node: next, path: [...current.path, node.kind === "list" ? Number(step) : step] };
    }
    return current;
  }

  /** What `${keys}` names from a place: `dots` levels up, or the root. */
  select(keys: Path, dots: number, place: Path): Located | undefined {
    if (dots === 0) return this.walk({ node: this.root, path: [] }, keys);
    const base = place.slice(0, place.length - dots);
    if (dots > place.length) return undefined;
    const container = this.walk({ node: this.root, path: [] }, base);
    return container && this.walk(container, keys);
  }

  private evaluate(at: Located, parts: TextPart[]): Located {
    const [only] = parts;
    if (parts.length === 1 && only !== undefined && typeof only !== "string") return this.interpolation(only, at);
    return { node: text(this.concat(parts, at), at.node.at), path: at.path };
  }

  private concat(parts: readonly TextPart[], at: Located): string {
    if (this.characters > MAX_TOTAL_TEXT_LENGTH) throw this.tooLong();
    let out = "";
    for (const part of parts) {
      out += typeof part === "string" ? part : this.str(this.interpolation(part, at).node);
      if (out.length > MAX_TEXT_LENGTH) throw new InterpolationFailure("bound", `a text grows past ${MAX_TEXT_LENGTH} characters`);
    }
    this.characters += out.length;
    if (this.characters > MAX_TOTAL_TEXT_LENGTH) throw this.tooLong();
    return out;
  }

  private tooLong(): InterpolationFailure {
    return new InterpolationFailure("bound", `texts grow past ${MAX_TOTAL_TEXT_LENGTH} characters in all`);
  }

  /** What a value is inside a text; blocks are written once. */
  private str(node: ConfigNode): string {
    if (node.kind === "scalar") return pythonStr(node);
    const known = this.written.get(node) ?? pythonStr(node);
    this.written.set(node, known);
    return known;
  }

  private interpolation(part: Interpolation, at: Located): Located {
    if (++this.evaluations > MAX_INTERPOLATIONS) throw new InterpolationFailure("bound", `more than ${MAX_INTERPOLATIONS} interpolations`);
    return part.kind === "node" ? this.nodeInterpolation(part, at) : this.resolver(part, at);
  }

  private nodeInterpolation(part: Extract<Interpolation, { kind: "node" }>, at: Located): Located {
    const keys = part.keys.map((key) => this.word(key, at));
    const shown = ".".repeat(part.dots) + part.source.slice(2, -1).trim().replace(/^\.+/, "");
    const found = this.select(keys, part.dots, at.path);
    if (found === undefined) throw new InterpolationFailure("missing-key", `'${shown}' is not in the configuration`, shown);
    if (isUnset(found.node)) throw new InterpolationFailure("unset", `'${shown}' is unset (???)`, shown);
    if (found.path.length < at.path.length && found.path.every((step, index) => step === at.path[index])) {
      throw new InterpolationFailure("cycle", `'${pathText(at.path)}' refers to '${pathText(found.path)}', which holds it`, shown);
    }
    return this.follow(found);
  }

  private resolver(part: Extract<Interpolation, { kind: "resolver" }>, at: Located): Located {
    const name = part.name.map((key) => this.word(key, at)).join("");
    const resolve = Object.hasOwn(RESOLVERS, name) ? RESOLVERS[name] : undefined;
    if (resolve === undefined) throw new InterpolationFailure("unknown-resolver", `'${name}:' is no resolver`, name);
    const args = part.args.map((arg) => this.argument(arg, at));
    const result = resolve(args, { env: this.env, path: at.path, interpolator: this }, part.source);
    return "path" in result ? this.follow(result) : { node: result, path: at.path };
  }

  /** The value of a resolver's argument, or of the text that `oc.decode` reads. */
  argument(arg: Argument, at: Located): ConfigNode {
    const origin = at.node.at;
    switch (arg.kind) {
      case "value":
        return scalar(arg.value.type, arg.value.value, origin);
      case "text":
        return text(this.concat(arg.parts, at), origin);
      case "interpolation":
        return this.interpolation(arg.interpolation, at).node;
      case "list":
        return list(
          arg.items.map((item) => this.argument(item, at)),
          origin,
        );
      case "map": {
        const entries = new Map<string, MapEntry>();
        for (const { key, value } of arg.entries) {
          const keyNode = scalar(key.type, key.value, origin);
          entries.set(keyId(keyNode), { key: keyNode, value: this.argument(value, at) });
        }
        return mapFromEntries(entries, origin) satisfies MapNode;
      }
    }
  }

  private word(key: string | Interpolation, at: Located): string {
    return typeof key === "string" ? key : pythonStr(this.interpolation(key, at).node);
  }

  private cycle(memo: string): InterpolationFailure {
    const chain = [...this.open.slice(this.open.indexOf(memo)), memo].map((item) => item.slice(0, item.indexOf("\n")));
    return new InterpolationFailure("cycle", `interpolations go round in a circle: ${chain.join(" -> ")}`, chain[0]);
  }
}

function parse(source: string): TextPart[] {
  try {
    return parseText(source);
  } catch (error) {
    if (error instanceof InterpolationSyntaxError) throw new InterpolationFailure("syntax", error.message);
    throw error;
  }
}
