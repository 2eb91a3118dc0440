/** Results belong to the environment server that ran them; reports show them under one label each. Works from rows alone, so that files of any age can be read. */
import { agentLabels } from "../metrics/index.ts";
import { agentOf, environmentServerOf, type Row } from "./row.ts";

export interface Group {
  environmentServer: string | undefined;
  agent: string | undefined;
}

export interface Groups {
  /** Learns from a result who runs what. */
  learn(row: Row): void;
  /** The group of a row, undefined where it names neither server nor agent. */
  of(row: Row): Group | undefined;
  /** Label of every group met, in order of first meeting. */
  labels(): { group: Group; label: string }[];
}

/** What a configuration knows about who runs what. */
export interface Fronts {
  serverOfAgent: (agent: string) => string | undefined;
  agentOfServer: (server: string) => string | undefined;
}

export function createGroups(fronts?: Fronts): Groups {
  const serversByAgent = new Map<string, Set<string>>();
  const groups = new Map<string, Group>();

  function of(row: Row): Group | undefined {
    const agent = agentOf(row);
    const server = environmentServerOf(row) ?? onlyServer(agent);
    if (server === undefined && agent === undefined) return undefined;
    const id = server === undefined ? `agent ${agent}` : `server ${server}`;
    let group = groups.get(id);
    if (group === undefined) {
      group = { environmentServer: server, agent: agent ?? (server === undefined ? undefined : fronts?.agentOfServer(server)) };
      groups.set(id, group);
    }
    group.agent ??= agent;
    return group;
  }

  function onlyServer(agent: string | undefined): string | undefined {
    if (agent === undefined) return undefined;
    const known = fronts?.serverOfAgent(agent);
    if (known !== undefined) return known;
    const servers = serversByAgent.get(agent);
    return servers?.size === 1 ? servers.values().next().value : undefined;
  }

  return {
    learn(row) {
      const agent = agentOf(row);
      const server = environmentServerOf(row);
      if (agent === undefined || server === undefined) return;
      const servers = serversByAgent.get(agent);
      if (servers === undefined) serversByAgent.set(agent, new Set([server]));
      else servers.add(server);
    },
    of,
    labels() {
      const met = [...groups.values()];
      const names = agentLabels(met);
      return met.map((group, at) => ({ group, label: names[at] ?? group.environmentServer ?? group.agent ?? "" }));
    },
  };
}
