/** Values that are still `???` when everything is merged. */
import { type ConfigNode, isUnset, keyText, type MapNode, pathText } from "./node.ts";
import { policyKeyFix } from "./policy-keys.ts";
import type { Problems } from "./problems.ts";

export function checkUnset(root: MapNode, problems: Problems): void {
  const visit = (node: ConfigNode, path: readonly (string | number)[]): void => {
    if (node.kind === "list") for (const [index, item] of node.items.entries()) visit(item, [...path, index]);
    if (node.kind === "map") for (const { key, value } of node.entries.values()) visit(value, [...path, keyText(key)]);
    if (!isUnset(node)) return;
    const key = pathText(path);
    const fix = policyKeyFix(key) ?? `++${key}=<value>, or set it in env.yaml`;
    problems.add({ message: `The required value '${key}' is unset (???).`, key, at: node.at, fix });
  };
  visit(root, []);
}
