/**
 * Every agent stands behind an environment server. One that no environment server names gets a generated relay, which is a function call
 * in our process and only looks like a server to those who read the configuration.
 */
import { agentStem } from "./agent-names.ts";
import { get, isText, isUnset, type MapNode, map, text, withEntry } from "./node.ts";
import type { Problems } from "./problems.ts";
import { agentName } from "./renames.ts";
import { type Block, blocks } from "./server-types.ts";
import { madeUp } from "./source.ts";

export interface Relays {
  root: MapNode;
  /** Instance names of the generated ones. */
  names: string[];
}

export function generateRelays(root: MapNode, strict: boolean, problems: Problems): Relays {
  const fronted = new Set<string>();
  for (const { fields } of blocks(root, "environment_servers")) {
    for (const { key, value } of fields.entries.values()) {
      const name = agentName(String(key.value), value);
      if (name !== undefined) fronted.add(name);
    }
  }
  const bare = blocks(root, "responses_api_agents")
    .filter((agent) => isText(get(agent.fields, "entrypoint")) && !isUnbound(agent) && !fronted.has(agent.instance))
    .sort((a, b) => (a.instance < b.instance ? -1 : 1));
  if (!strict) return bare.reduce(addRelay, { root, names: [] });
  for (const agent of bare) {
    problems.add({
      message: `Agent '${agent.instance}' has no environment server, and error_on_agent_without_environment_server forbids a relay.`,
      key: agent.instance,
      at: agent.fields.at,
      fix: `add an environment server whose agent_server is {type: responses_api_agents, name: ${agent.instance}}`,
    });
  }
  return { root, names: [] };
}

/** An agent whose resources server is still to be chosen: the source of a composition. */
export function isUnbound({ type, fields }: Block): boolean {
  return type === "responses_api_agents" && isUnset(get(get(fields, "resources_server"), "name"));
}

function addRelay({ root, names }: Relays, { instance, implementation }: Block): Relays {
  let name = `${agentStem(instance, implementation)}_environment_server`;
  if (get(root, name) !== undefined) name = `${instance}_environment_server`;
  while (get(root, name) !== undefined) name = `${name}_environment_server`;
  const at = madeUp("generated", `generated relay of agent '${instance}'`);
  const agent = map({ type: text("responses_api_agents", at), name: text(instance, at) }, at);
  const block = map({ entrypoint: text("app.py", at), agent_server: agent }, at);
  return { root: withEntry(root, name, map({ environment_servers: map({ legacy_agent: block }, at) }, at)), names: [...names, name] };
}
