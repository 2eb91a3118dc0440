/** An agent that was moved to another name by a top-level `_inherit_from` is followed by the environment servers that name it. */
import type { Move } from "./directives.ts";
import { type ConfigNode, get, isText, type MapNode, pathText, text, textAt, withPath } from "./node.ts";
import type { Problems } from "./problems.ts";
import { blockPath, blocks } from "./server-types.ts";

export function followAgentRenames(root: MapNode, moves: readonly Move[], problems: Problems): MapNode {
  const destinations = survivors(root, moves);
  let result = root;
  for (const block of blocks(root, "environment_servers")) {
    for (const { key, value } of block.fields.entries.values()) {
      const old = agentName(String(key.value), value);
      const names = old === undefined ? undefined : destinations.get(old);
      if (old === undefined || names === undefined) continue;
      const path = [...blockPath(block), String(key.value), "name"];
      const node = get(value, "name");
      const [only] = names;
      if (names.length === 1 && only !== undefined && node !== undefined)
        result = withPath(result, path, { ...text(only, node.at), over: node });
      else
        problems.add({
          message: `Agent '${old}' was inherited into several names (${names.join(", ")}), so '${pathText(path)}' of environment server '${block.instance}' does not say which it means.`,
          key: pathText(path),
          at: node?.at,
          fix: `++${pathText(path)}=${only}`,
        });
    }
  }
  return result;
}

/** Old agent name -> the names that it lives on under. */
function survivors(root: MapNode, moves: readonly Move[]): Map<string, string[]> {
  const next = Map.groupBy(moves, (move) => move.from);
  const found = new Map<string, string[]>();
  const endsOf = (name: string, seen: Set<string>): string[] => {
    if (seen.has(name)) return [];
    seen.add(name);
    const targets = next.get(name);
    if (targets === undefined) return get(root, name) === undefined ? [] : [name];
    return targets.flatMap((move) => endsOf(move.to, seen));
  };
  for (const from of next.keys()) {
    const ends =
      get(root, from) === undefined
        ? endsOf(from, new Set()).filter((name) => get(get(root, name), "responses_api_agents") !== undefined)
        : [];
    if (ends.length > 0) found.set(from, ends);
  }
  return found;
}

/** The agent that a field of an environment server names; `agent_server` needs no type. */
export function agentName(field: string, value: ConfigNode): string | undefined {
  const type = textAt(value, "type");
  if (type !== "responses_api_agents" && !(field === "agent_server" && type === undefined)) return undefined;
  const name = get(value, "name");
  return isText(name) ? name.value : undefined;
}
