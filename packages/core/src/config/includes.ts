/**
 * The files of a configuration: a queue of `config_paths` entries, breadth first, whose merge order is the include tree in post-order,
 * so that a file beats what it includes and a later sibling beats an earlier one.
 */
import { existsSync } from "node:fs";
import { currentConfigPath } from "./compat-config-paths.ts";
import { addInterpolationProblem } from "./dangling.ts";
import { loadFile } from "./files.ts";
import { InterpolationFailure, Interpolator } from "./interpolate.ts";
import { MAX_FILES } from "./limits.ts";
import { type ConfigNode, get, isNull, isText, pathText, textAt } from "./node.ts";
import type { Problems } from "./problems.ts";
import { pythonRepr } from "./python-text.ts";
import { candidatePaths, type RootOptions } from "./roots.ts";
import type { Origin } from "./source.ts";

export interface LoadedFile {
  /** As named in `config_paths`. */
  entry: string;
  node: ConfigNode;
}

export interface Includes {
  /** In merge order, the weakest first. */
  files: LoadedFile[];
  /** What `config_paths` of the result says: breadth first. */
  paths: string[];
  /** Entries that some file names a second time. */
  duplicates: string[];
  notices: string[];
}

interface Queued {
  entry: string;
  at: Origin | undefined;
  node?: ConfigNode | undefined;
  children: Queued[];
}

export interface IncludeOptions extends RootOptions {
  problems: Problems;
}

/** Loads everything that the entries of `base` (its `config_paths`, resolved) lead to. */
export function loadIncludes(base: ConfigNode, options: IncludeOptions): Includes {
  const notices: string[] = [];
  const duplicates: string[] = [];
  const top = entriesOf(base, options).map(({ entry, at }): Queued => ({ entry, at, children: [] }));
  if (top.length > MAX_FILES) return tooMany(options, top[MAX_FILES]?.at);
  const queue = [...top];
  for (let index = 0; index < queue.length; index++) {
    const item = queue[index];
    if (item === undefined) break;
    load(item, options, notices);
    if (item.node === undefined) continue;
    for (const { entry, at } of entriesOf(item.node, options)) {
      if (queue.some((other) => other.entry === entry)) duplicates.push(entry);
      else if (queue.length >= MAX_FILES) return tooMany(options, at);
      else {
        const child: Queued = { entry, at, children: [] };
        item.children.push(child);
        queue.push(child);
      }
    }
  }
  const order = isLegacy(base, queue) ? queue : top.flatMap(postOrder);
  const files = order.flatMap(({ entry, node }) => (node === undefined ? [] : [{ entry, node }]));
  return { files, paths: queue.map(({ entry }) => entry), duplicates, notices };
}

/** `include_precedence: legacy`: included files beat the ones that include them, as up to v0.5.0. */
function isLegacy(base: ConfigNode, queue: readonly Queued[]): boolean {
  return [base, ...queue.map(({ node }) => node)].some((node) => textAt(node, "include_precedence") === "legacy");
}

function tooMany({ problems }: IncludeOptions, at: Origin | undefined): Includes {
  problems.add({ message: `The configuration reaches more than ${MAX_FILES} files.`, at });
  return { files: [], paths: [], duplicates: [], notices: [] };
}

function postOrder(item: Queued): Queued[] {
  const out: Queued[] = [];
  const stack: [Queued, number][] = [[item, 0]];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const [current, next] = top;
    const child = current.children[next];
    if (child === undefined) {
      out.push(current);
      stack.pop();
    } else {
      top[1]++;
      stack.push([child, 0]);
    }
  }
  return out;
}

function load(item: Queued, options: IncludeOptions, notices: string[]): void {
  const { problems } = options;
  const exists = (path: string): boolean => candidatePaths(path, options).some((place) => existsSync(place));
  const current = currentConfigPath(item.entry, exists);
  if (current !== item.entry) {
    notices.push(`config_paths entry '${item.entry}' has moved; reading '${current}'.`);
    item.entry = current;
  }
  const places = candidatePaths(item.entry, options);
  const file = places.find((place) => existsSync(place));
  if (file === undefined) {
    problems.add({
      code: "NG_ERR_CONFIG_NOT_FOUND",
      message: `config_paths entry '${item.entry}' was not found. Looked in:\n${[...new Set(places)].map((place) => `  - ${place}`).join("\n")}`,
      key: "config_paths",
      at: item.at,
      fix: "Paths are relative to NEMO_GYM_EXTRA_ROOTS, the working folder and the install folder, not to the file that names them.",
    });
    return;
  }
  const node = loadFile(file, problems);
  if (node?.kind === "list") {
    problems.add({ code: "NG_ERR_CONFIG_SYNTAX", message: `'${item.entry}' holds a list; expected a mapping.`, at: node.at });
    return;
  }
  item.node = node;
}

/** The `config_paths` of a tree, interpolations resolved within it. A single text is a list of one. */
function entriesOf(base: ConfigNode, { env, problems }: IncludeOptions): { entry: string; at: Origin }[] {
  const written = get(base, "config_paths");
  if (written === undefined || isNull(written)) return [];
  let value: ConfigNode;
  try {
    value = new Interpolator(base, env).read(["config_paths"]);
  } catch (error) {
    if (!(error instanceof InterpolationFailure)) throw error;
    addInterpolationProblem(problems, error, { node: written, path: ["config_paths"] });
    return [];
  }
  if (isText(value)) return [{ entry: value.value, at: value.at }];
  if (isNull(value)) return [];
  const texts = value.kind === "list" ? value.items.filter(isText) : [];
  if (value.kind === "list" && texts.length === value.items.length)
    return texts.map((item, index) => ({ entry: item.value, at: originOf(written, index) ?? item.at }));
  problems.add({
    message: `${pathText(["config_paths"])} must be a list of paths. Got: ${pythonRepr(value)}.`,
    key: "config_paths",
    at: written.at,
    expected: "a list of texts",
    fix: "'+config_paths=[a.yaml,b.yaml]', or --config a.yaml --config b.yaml",
  });
  return [];
}

function originOf(written: ConfigNode, index: number): Origin | undefined {
  return written.kind === "list" ? written.items[index]?.at : written.at;
}
