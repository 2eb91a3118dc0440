/**
 * Swapping the harness: one agent whose `resources_server.name` is `???` takes the place of every agent that has a resources server. It keeps
 * its own settings and gets the resources server, model server and data sets of the agent that it replaces.
 */
import { agentStem } from "./agent-names.ts";
import { RENAMED_AGENTS } from "./compat-config-paths.ts";
import {
  type ConfigNode,
  get,
  getPath,
  isText,
  keyText,
  list,
  type MapEntry,
  type MapNode,
  map,
  mapFromEntries,
  pathText,
  replacing,
  text,
  textAt,
  withEntry,
  withoutEntry,
  withPath,
} from "./node.ts";
import { allowedNames, pairingWaived } from "./pairing.ts";
import type { Problems } from "./problems.ts";
import { isUnbound } from "./relays.ts";
import { type Block, blockOf, blockPath, blocks } from "./server-types.ts";
import { madeUp } from "./source.ts";

/** What a composed agent has from the one that it replaces. */
const TAKEN_OVER = ["resources_server", "model_server", "datasets"];

export interface Composition {
  root: MapNode;
  /** Old instance name -> composed one. */
  renamed: Map<string, string>;
}

/** Names that composing this tree would give, to keep back what the command line says about them. */
export function composedNames(root: MapNode): string[] {
  const { source, targets } = parties(root);
  return source === undefined ? [] : targets.map((target) => composedName(target, source));
}

export function compose(root: MapNode, env: Record<string, string | undefined>, problems: Problems): Composition {
  const { source, unbound, targets } = parties(root);
  const renamed = new Map<string, string>();
  if (unbound.length > 1) {
    problems.add({
      message: `${unbound.length} agents leave their 'resources_server' unset, and only one can take over: ${unbound.map(({ instance }) => instance).join(", ")}.`,
      at: unbound[1]?.fields.at,
    });
    return { root, renamed };
  }
  if (source === undefined) return { root, renamed };
  if (targets.length === 0) {
    problems.add({
      message: `Agent '${source.instance}' leaves its 'resources_server' unset, and there is no other agent whose place it could take.`,
      key: `${pathText(blockPath(source))}.resources_server.name`,
      at: source.fields.at,
      fix: `++${pathText(blockPath(source))}.resources_server.name=<resources server>`,
    });
    return { root, renamed };
  }
  for (const target of targets) renamed.set(target.instance, composedName(target, source));
  if (clashes(root, renamed, source, problems)) return { root, renamed: new Map() };
  refusePairs(root, source, targets, env, problems);
  let result = withoutEntry(root, source.instance);
  for (const target of targets) result = withoutEntry(result, target.instance);
  for (const target of targets) result = withEntry(result, composedName(target, source), composedInstance(source, target));
  result = retarget(result, renamed);
  return { root: routes(result, renamed, problems), renamed };
}

function parties(root: MapNode): { source: Block | undefined; unbound: Block[]; targets: Block[] } {
  const agents = blocks(root, "responses_api_agents");
  const unbound = agents.filter(isUnbound);
  const targets = agents.filter((agent) => !isUnbound(agent) && get(agent.fields, "resources_server")?.kind === "map");
  return { source: unbound.length === 1 ? unbound[0] : undefined, unbound, targets };
}

function composedName(target: Block, source: Block): string {
  const stem = agentStem(target.instance, target.implementation);
  return stem === target.implementation ? source.implementation : `${stem}_${source.implementation}`;
}

function clashes(root: MapNode, renamed: ReadonlyMap<string, string>, source: Block, problems: Problems): boolean {
  const taken = new Map<string, string>();
  let found = false;
  for (const [old, name] of renamed) {
    const other = taken.get(name) ?? (get(root, name) !== undefined && !renamed.has(name) && name !== source.instance ? name : undefined);
    if (other !== undefined) {
      found = true;
      problems.add({
        message: `Putting '${source.instance}' in the place of '${old}' would give two instances the same name '${name}'.`,
        key: old,
        at: get(root, old)?.at,
        fix: "rename one of the agents",
      });
    }
    taken.set(name, old);
  }
  return found;
}

function refusePairs(
  root: MapNode,
  source: Block,
  targets: readonly Block[],
  env: Record<string, string | undefined>,
  problems: Problems,
): void {
  if (pairingWaived(root, env)) return;
  for (const target of targets) {
    const server = textAt(get(target.fields, "resources_server"), "name");
    const block = server === undefined ? undefined : blockOf(server, get(root, server));
    if (block === undefined) continue;
    const allowed = allowedNames(block, "allowed_agents", problems);
    if (allowed.length === 0 || allowed.includes(source.implementation)) continue;
    problems.add({
      message: `'${source.implementation}' is not declared compatible: ${target.instance} uses ${server} and accepts ${allowed.join(", ")}.`,
      key: `${pathText(blockPath(block))}.allowed_agents`,
      at: get(block.fields, "allowed_agents")?.at,
      fix: "choose one of these agents, or waive the check with +allow_unsupported_pairing=true",
    });
  }
}

function composedInstance(source: Block, target: Block): MapNode {
  const fields = TAKEN_OVER.reduce((node, key) => {
    const value = get(target.fields, key);
    const own = get(node, key);
    return value === undefined ? node : withEntry(node, key, own === undefined ? value : replacing(value, own));
  }, source.fields);
  return map({ [source.type]: map({ [source.implementation]: fields }, source.fields.at) }, source.fields.at);
}

/** References to replaced agents, wherever they are in a server block. */
function retarget(root: MapNode, renamed: ReadonlyMap<string, string>): MapNode {
  let result = root;
  for (const block of blocks(root)) {
    const fields = retargetIn(block.fields, renamed, block.type === "environment_servers");
    if (fields !== block.fields) result = withPath(result, blockPath(block), fields);
  }
  return result;
}

function retargetIn(node: ConfigNode, renamed: ReadonlyMap<string, string>, untyped: boolean): ConfigNode {
  if (node.kind === "scalar") return node;
  if (node.kind === "list") {
    const items = node.items.map((item) => retargetIn(item, renamed, false));
    return items.some((item, index) => item !== node.items[index]) ? list(items, node.at) : node;
  }
  let result: MapNode = node;
  const name = get(node, "name");
  const to = textAt(node, "type") === "responses_api_agents" && isText(name) ? renamed.get(name.value) : undefined;
  if (to !== undefined && name !== undefined) result = withEntry(result, "name", replacing(text(to, name.at), name));
  const entries = new Map<string, MapEntry>();
  for (const [id, entry] of result.entries) {
    let value = retargetIn(entry.value, renamed, false);
    const plain = untyped && keyText(entry.key) === "agent_server" && get(value, "type") === undefined ? textAt(value, "name") : undefined;
    const moved = plain === undefined ? undefined : renamed.get(plain);
    if (moved !== undefined && value.kind === "map") value = withEntry(value, "name", text(moved, value.at));
    entries.set(id, value === entry.value ? entry : { key: entry.key, value });
  }
  return mapFromEntries(entries, result.at, result.over);
}

/** Rows that name an old agent go to the new one; routing that somebody wrote must name agents that exist. */
function routes(root: MapNode, renamed: ReadonlyMap<string, string>, problems: Problems): MapNode {
  const check = (place: string, node: ConfigNode | undefined): void => {
    const to = isText(node) ? renamed.get(node.value) : undefined;
    if (to === undefined || !isText(node)) return;
    problems.add({
      message: `Routing names an agent that no longer exists: ${place}: '${node.value}' is now '${to}'.`,
      at: node.at,
      fix: `write ${to}`,
    });
  };
  check("agent_name", get(root, "agent_name"));
  const agentMap = get(root, "agent_map");
  if (agentMap?.kind === "map") for (const { key, value } of agentMap.entries.values()) check(`agent_map[${keyText(key)}]`, value);
  const fanOut = get(root, "fan_out");
  if (fanOut?.kind === "map") {
    for (const { key, value } of fanOut.entries.values())
      for (const item of value.kind === "list" ? value.items : [value]) check(`fan_out[${keyText(key)}]`, item);
  }
  return addRoutes(root, renamed);
}

function addRoutes(root: MapNode, renamed: Iterable<readonly [string, string]>): MapNode {
  const at = madeUp("generated", "generated route");
  const present = get(root, "agent_map");
  let agentMap: MapNode = present?.kind === "map" ? present : map({}, at);
  let changed = false;
  for (const [old, name] of renamed) {
    if (get(agentMap, old) !== undefined) continue;
    agentMap = withEntry(agentMap, old, text(name, at));
    changed = true;
  }
  return changed ? withEntry(root, "agent_map", agentMap) : root;
}

/** Agents that NeMo Gym 0.7.0 renamed: rows and `agent_name` with the old name reach the new one. */
export function routeOldAgentNames(root: MapNode): MapNode {
  const moved = RENAMED_AGENTS.filter(
    ([old, name]) => get(root, old) === undefined && getPath(root, [name, "responses_api_agents"]) !== undefined,
  );
  if (moved.length === 0) return root;
  const routed = addRoutes(root, moved);
  const agent = get(routed, "agent_name");
  const to = isText(agent) ? moved.find(([old]) => old === agent.value)?.[1] : undefined;
  return to === undefined || agent === undefined ? routed : withEntry(routed, "agent_name", replacing(text(to, agent.at), agent));
}
