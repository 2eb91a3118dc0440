/** Which agents and model servers a resources server accepts: `allowed_agents`, `allowed_model_types`. */
import { type ConfigNode, get, isNull, isText, type MapNode, pathText, textAt } from "./node.ts";
import type { Problems } from "./problems.ts";
import { pythonRepr } from "./python-text.ts";
import { type Block, blockOf, blockPath, blocks } from "./server-types.ts";
import { STAND_IN } from "./stand-in-model.ts";
import { TOP_LEVEL_KEYS } from "./top-level-table.ts";

export function pairingWaived(root: MapNode, env: Record<string, string | undefined>): boolean {
  const variable = env[TOP_LEVEL_KEYS.allow_unsupported_pairing.variable] ?? "";
  return isTruthy(get(root, "allow_unsupported_pairing")) || !["", "0", "false"].includes(variable.trim().toLowerCase());
}

/** Truth as Python has it: empty, zero, null and false are not. */
export function isTruthy(node: ConfigNode | undefined): boolean {
  if (node === undefined) return false;
  if (node.kind === "list") return node.items.length > 0;
  if (node.kind === "map") return node.entries.size > 0;
  return Boolean(node.value);
}

/** Names of a list that may be one text; none means any. */
export function allowedNames(block: Block, field: string, problems: Problems): string[] {
  const node = get(block.fields, field);
  if (node === undefined || isNull(node)) return [];
  if (isText(node)) return node.value === "" ? [] : [node.value];
  const names = node.kind === "list" ? node.items.filter(isText) : [];
  if (node.kind === "list" && names.length === node.items.length) return names.map((item) => item.value);
  const key = `${pathText(blockPath(block))}.${field}`;
  problems.add({ message: `'${key}' must be a list of names, or one name.`, key, at: node.at, got: pythonRepr(node) });
  return [];
}

export function checkModelPairs(root: MapNode, env: Record<string, string | undefined>, problems: Problems): void {
  if (pairingWaived(root, env)) return;
  for (const agent of blocks(root, "responses_api_agents")) {
    const server = referenced(root, agent, "resources_server");
    const model = referenced(root, agent, "model_server");
    if (server === undefined || model === undefined || model.implementation === STAND_IN) continue;
    const allowed = allowedNames(server, "allowed_model_types", problems);
    if (allowed.length === 0 || allowed.includes(model.implementation)) continue;
    problems.add({
      message: `agent '${agent.instance}' uses model server '${model.instance}' (type '${model.implementation}'), but resources server '${server.instance}' accepts only: ${allowed.join(", ")}`,
      key: `${pathText(blockPath(server))}.allowed_model_types`,
      at: get(server.fields, "allowed_model_types")?.at,
      fix: "choose one of these model servers, or waive the check with +allow_unsupported_pairing=true",
    });
  }
}

function referenced(root: MapNode, agent: Block, field: string): Block | undefined {
  const name = textAt(get(agent.fields, field), "name");
  return name === undefined ? undefined : blockOf(name, get(root, name));
}
