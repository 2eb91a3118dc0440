/** The four kinds of servers, and how an instance of one lies in a configuration: `instance: {type: {implementation: {fields}}}`. */
import { type ConfigNode, keyText, type MapNode } from "./node.ts";
import { RESERVED_KEYS } from "./top-level-keys.ts";

export const SERVER_TYPES = ["responses_api_models", "resources_servers", "responses_api_agents", "environment_servers"] as const;
export type ServerType = (typeof SERVER_TYPES)[number];

export const DOMAINS = [
  "math",
  "coding",
  "agent",
  "knowledge",
  "instruction_following",
  "long_context",
  "safety",
  "games",
  "translation",
  "e2e",
  "rlhf",
  "other",
] as const;

/** A place where an instance may be: a top-level mapping that is not reserved. */
export interface Block {
  instance: string;
  type: ServerType;
  implementation: string;
  fields: MapNode;
}

export function isServerType(name: string): name is ServerType {
  return (SERVER_TYPES as readonly string[]).includes(name);
}

/** Top-level mappings whose name is not reserved, with their names. */
export function topLevelMaps(root: MapNode): [name: string, node: MapNode][] {
  const out: [string, MapNode][] = [];
  for (const { key, value } of root.entries.values()) {
    if (value.kind === "map" && typeof key.value === "string" && !RESERVED_KEYS.has(key.value)) out.push([key.value, value]);
  }
  return out;
}

/** The server block of an instance: its first server type that holds exactly one mapping. */
export function blockOf(instance: string, node: ConfigNode | undefined): Block | undefined {
  if (node?.kind !== "map") return undefined;
  for (const { key, value } of node.entries.values()) {
    const type = keyText(key);
    if (!isServerType(type) || value.kind !== "map" || value.entries.size !== 1) continue;
    const [entry] = [...value.entries.values()];
    if (entry?.value.kind === "map") return { instance, type, implementation: keyText(entry.key), fields: entry.value };
  }
  return undefined;
}

/** Blocks of all instances, of one type if given. */
export function blocks(root: MapNode, type?: ServerType): Block[] {
  return topLevelMaps(root)
    .map(([name, node]) => blockOf(name, node))
    .filter((block): block is Block => block !== undefined && (type === undefined || block.type === type));
}

export function blockPath({ instance, type, implementation }: Block): [string, string, string] {
  return [instance, type, implementation];
}
