/** References to servers, `{type: resources_servers, name: x}`, at any depth of a server block: each must name a server of its type. */
import { InterpolationFailure, type Interpolator } from "./interpolate.ts";
import { MAX_PRINTED_PROBLEMS } from "./limits.ts";
import { type ConfigNode, get, isText, keyText, pathText } from "./node.ts";
import type { Problems } from "./problems.ts";
import { type Block, blockPath, isServerType } from "./server-types.ts";
import { suggest } from "./suggest.ts";

/** `almost`: instances that are told on their own; a reference to one is right as it stands. */
export function checkReferences(
  blocks: readonly Block[],
  almost: ReadonlySet<string>,
  interpolator: Interpolator,
  problems: Problems,
): void {
  const known = new Set(blocks.map((block) => `${block.type}/${block.instance}`));
  for (const block of blocks) {
    const visit = (node: ConfigNode, path: readonly (string | number)[]): void => {
      if (node.kind === "list") for (const [index, item] of node.items.entries()) visit(item, [...path, index]);
      if (node.kind !== "map") return;
      checkReference(node, path, block, { blocks, known, almost, interpolator, problems });
      for (const { key, value } of node.entries.values()) visit(value, [...path, keyText(key)]);
    };
    for (const { key, value } of block.fields.entries.values()) visit(value, [...blockPath(block), keyText(key)]);
  }
}

interface Context {
  blocks: readonly Block[];
  /** `type/instance` of each block. */
  known: ReadonlySet<string>;
  almost: ReadonlySet<string>;
  interpolator: Interpolator;
  problems: Problems;
}

function checkReference(
  node: ConfigNode,
  path: readonly (string | number)[],
  block: Block,
  { blocks, known, almost, interpolator, problems }: Context,
): void {
  const type = resolvedText(node, "type", path, interpolator);
  const name = resolvedText(node, "name", path, interpolator);
  if (type === undefined || name === undefined || !isServerType(type)) return;
  if (almost.has(name) || known.has(`${type}/${name}`)) return;
  const names = blocks.filter((other) => other.type === type).map((other) => other.instance);
  const near = problems.list.length < MAX_PRINTED_PROBLEMS ? suggest(name, [...names, ...almost]) : [];
  const field = pathText(path.slice(3));
  const renamed =
    block.type === "environment_servers" && type === "responses_api_agents"
      ? " An agent that another instance takes over with _inherit_from goes by the new name."
      : "";
  problems.add({
    code: "NG_ERR_SERVER_NOT_FOUND",
    message: `In server '${block.instance}', field '${field}' refers to ${type}/'${name}', which does not exist.${renamed}`,
    key: pathText(path),
    at: get(node, "name")?.at,
    suggestion:
      near.length > 0 ? `Did you mean ${near.map((other) => `'${other}'`).join(", ")}?` : `Servers of this type: ${listed(names)}.`,
    fix: near[0] === undefined ? `add the file of that server to config_paths` : `++${pathText(path)}.name=${near[0]}`,
  });
}

/** Names that a message lists. */
const MAX_LISTED = 30;

function listed(names: readonly string[]): string {
  if (names.length === 0) return "(none)";
  const shown = names
    .toSorted()
    .slice(0, MAX_LISTED)
    .map((name) => `'${name}'`);
  return shown.join(", ") + (names.length > MAX_LISTED ? `, and ${names.length - MAX_LISTED} more` : "");
}

function resolvedText(node: ConfigNode, key: string, path: readonly (string | number)[], interpolator: Interpolator): string | undefined {
  const value = get(node, key);
  if (value === undefined) return undefined;
  try {
    const resolved = interpolator.follow({ node: value, path: [...path, key] }).node;
    return isText(resolved) ? resolved.value : undefined;
  } catch (error) {
    if (error instanceof InterpolationFailure) return undefined;
    throw error;
  }
}
