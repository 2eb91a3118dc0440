/** Where a value comes from: every layer that set it and which one won. */
import { type ConfigNode, getPath } from "./node.ts";
import { maskNode, secrecyAt } from "./secrets.ts";
import { type Origin, placeOf } from "./source.ts";
import type { ValueLayer } from "./types.ts";
import { emitYaml } from "./yaml-emit.ts";

/** Layers at a path, the strongest first; none where nothing is there. */
export function explainKey(tree: ConfigNode, path: readonly (string | number)[]): ValueLayer[] {
  const secrecy = secrecyAt(path);
  const layers: ValueLayer[] = [];
  let node = getPath(tree, path);
  while (node !== undefined) {
    layers.push({ from: originText(node.at), value: emitYaml(maskNode(node, secrecy)).trimEnd(), wins: layers.length === 0 });
    node = node.over;
  }
  // A mapping was replaced above this key: what it held here was a layer too.
  for (let length = path.length - 1; length > 0; length--) {
    for (let holder = getPath(tree, path.slice(0, length))?.over; holder !== undefined; holder = holder.over) {
      const hidden = getPath(holder, path.slice(length));
      if (hidden !== undefined)
        layers.push({ from: originText(hidden.at), value: emitYaml(maskNode(hidden, secrecy)).trimEnd(), wins: layers.length === 0 });
    }
  }
  return layers;
}

export function originText(at: Origin): string {
  if (at.source.kind !== "file") return at.source.name;
  const { line, column } = placeOf(at);
  return `${at.source.name}:${line}:${column}`;
}
