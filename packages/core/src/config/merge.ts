/**
 * OmegaConf's merge of two layers, the right one winning: mappings merge key by key, lists and scalars replace, an unset mark (`???`) never
 * replaces anything, and a mapping that is written over an interpolation of one is merged into what the interpolation stands for.
 */
import { InterpolationFailure, Interpolator } from "./interpolate.ts";
import { type ConfigNode, isInterpolation, isUnset, keyText, type MapEntry, type MapNode, mapFromEntries, replacing } from "./node.ts";
import type { Origin } from "./source.ts";

/** A mapping met a list. */
export class MergeConflict extends Error {
  readonly path: readonly string[];
  readonly at: Origin;
  readonly other: Origin;

  constructor(path: readonly string[], left: ConfigNode, right: ConfigNode) {
    super(`cannot merge a ${name(right)} into a ${name(left)}`);
    this.path = path;
    this.at = right.at;
    this.other = left.at;
  }
}

/** Throws `MergeConflict`. */
export function merge(left: ConfigNode, right: ConfigNode, env: Record<string, string | undefined>): ConfigNode {
  if (left.kind === "list" && right.kind === "list") return replacing(right, left);
  if (left.kind !== "map" || right.kind !== "map") throw new MergeConflict([], left, right);
  return mergeMaps(left, right, { root: new Interpolator(left, env), path: [] });
}

interface Place {
  root: Interpolator;
  path: readonly string[];
}

function mergeMaps(left: MapNode, right: MapNode, place: Place): MapNode {
  const entries = new Map<string, MapEntry>(left.entries);
  for (const [id, { key, value }] of right.entries) {
    const present = entries.get(id);
    const path = [...place.path, keyText(key)];
    entries.set(id, {
      key: present?.key ?? key,
      value: present === undefined ? value : mergeValues(present.value, value, { ...place, path }),
    });
  }
  return mapFromEntries(entries, left.at, left.over);
}

function mergeValues(left: ConfigNode, right: ConfigNode, place: Place): ConfigNode {
  const base = expand(left, place);
  if (isUnset(right)) return base;
  if (base.kind === "scalar" || right.kind === "scalar") return replacing(right, left);
  if (base.kind === "map" && right.kind === "map") return mergeMaps(base, right, place);
  if (base.kind === "list" && right.kind === "list") return replacing(right, left);
  throw new MergeConflict(place.path, base, right);
}

/** The container that an interpolation stands for, or the node itself. */
function expand(node: ConfigNode, { root, path }: Place): ConfigNode {
  if (!isInterpolation(node)) return node;
  try {
    const target = root.follow({ node, path }).node;
    return target.kind === "scalar" ? node : target;
  } catch (error) {
    if (error instanceof InterpolationFailure) return node;
    throw error;
  }
}

function name(node: ConfigNode): string {
  return node.kind === "map" ? "mapping" : node.kind;
}
