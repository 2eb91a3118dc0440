/**
 * Which environment server runs a row, read from the head's configuration. Rows name an agent, a task source (the instance that declared the data set), a taskset,
 * or nothing (legacy mode); collection always talks to the environment server in front of the agent.
 */
import { suggest } from "../config/index.ts";
import type { Fronts } from "./groups.ts";
import { agentOf, environmentServerOf, isRecord, type Row, taskSourceOf } from "./row.ts";

const TYPES = ["responses_api_agents", "resources_servers", "responses_api_models", "environment_servers"] as const;
type ServerType = (typeof TYPES)[number];

export interface EnvironmentServer {
  name: string;
  /** Implementation, stamped on results as `_ng_result_type`. */
  type: string;
  /** The agent it fronts, if it names exactly one. */
  agent: string | undefined;
}

/** A name, or why there is none. */
export type Resolved = { ok: true; name: string } | { ok: false; problem: string };

export interface Routing {
  environmentServers: ReadonlyMap<string, EnvironmentServer>;
  /** Agent of a task source. */
  agentOfSource(source: string): Resolved;
  /** Environment server of an agent. */
  serverOfAgent(agent: string): Resolved;
  /** Environment server by instance name. */
  serverNamed(name: string): Resolved;
  /** Environment server of a materialized row: its stamp, else its agent's, else its source's agent's. */
  serverOfRow(row: Row): Resolved;
}

interface Instance {
  type: ServerType;
  implementation: string;
  block: Row;
}

/** `config`: instance name -> `{ <type>: { <implementation>: block } }`; other keys are passed over. */
export function buildRouting(config: Readonly<Record<string, unknown>>): Routing {
  const instances = new Map<string, Instance>();
  for (const [name, value] of Object.entries(config)) {
    const instance = asInstance(value);
    if (instance !== undefined) instances.set(name, instance);
  }
  const ofType = (type: ServerType) => [...instances].filter(([, instance]) => instance.type === type);
  const environmentServers = new Map<string, EnvironmentServer>();
  const serversByAgent = new Map<string, string[]>();
  for (const [name, instance] of ofType("environment_servers")) {
    const agents = references(instance.block, "responses_api_agents");
    environmentServers.set(name, { name, type: instance.implementation, agent: agents.length === 1 ? agents[0] : undefined });
    for (const agent of agents) serversByAgent.set(agent, [...(serversByAgent.get(agent) ?? []), name]);
  }
  const known = (type: ServerType) => ofType(type).map(([name]) => name);

  function agentOfSource(source: string): Resolved {
    const instance = instances.get(source);
    if (instance === undefined) {
      if (Object.hasOwn(config, source)) return refused(`task_source '${source}' is not a server`);
      return refused(
        `task_source '${source}' is not in the running configuration${near(source, [...known("resources_servers"), ...known("responses_api_agents")])}`,
      );
    }
    if (instance.type === "responses_api_agents") return { ok: true, name: source };
    if (instance.type !== "resources_servers") return refused(`task_source '${source}' is neither an agent nor a resources server`);
    const agents = ofType("responses_api_agents")
      .filter(([, agent]) => references(agent.block, "resources_servers").includes(source))
      .map(([name]) => name);
    if (agents.length === 1) return { ok: true, name: agents[0] as string };
    const pinned = pinnedAgent(instance.block);
    if (pinned !== undefined && agents.includes(pinned)) return { ok: true, name: pinned };
    if (agents.length === 0) return refused(`task_source '${source}': no agent in the running configuration uses this resources server`);
    return refused(
      `task_source '${source}': ${agents.length} agents use this resources server (${agents.join(", ")}); give agent_name or agent_map`,
    );
  }

  function serverOfAgent(agent: string): Resolved {
    const servers = serversByAgent.get(agent) ?? [];
    if (servers.length === 1) return { ok: true, name: servers[0] as string };
    if (servers.length > 1)
      return refused(
        `agent '${agent}' is fronted by several environment servers (${servers.join(", ")}); route by environment_server_name or taskset`,
      );
    if (instances.get(agent)?.type === "responses_api_agents") return refused(`agent '${agent}' has no environment server`);
    return refused(`agent '${agent}' is not in the running configuration${near(agent, known("responses_api_agents"))}`);
  }

  const sourceMemo = memoized(agentOfSource);
  const agentMemo = memoized(serverOfAgent);

  function serverNamed(name: string): Resolved {
    if (environmentServers.has(name)) return { ok: true, name };
    return refused(`environment server '${name}' is not in the running configuration${near(name, environmentServers.keys())}`);
  }

  function serverOfRow(row: Row): Resolved {
    const stamp = environmentServerOf(row);
    if (stamp !== undefined) return serverNamed(stamp);
    const agent = agentOf(row);
    if (agent !== undefined) return agentMemo(agent);
    const source = taskSourceOf(row);
    if (source === undefined) return refused("the row names no agent, task source or environment server");
    const resolved = sourceMemo(source);
    return resolved.ok ? agentMemo(resolved.name) : resolved;
  }

  return { environmentServers, agentOfSource: sourceMemo, serverOfAgent: agentMemo, serverNamed, serverOfRow };
}

/** The same facts as names or nothing, for grouping results. */
export function frontsOf(routing: Routing): Fronts {
  return {
    serverOfAgent: (agent) => {
      const server = routing.serverOfAgent(agent);
      return server.ok ? server.name : undefined;
    },
    agentOfServer: (server) => routing.environmentServers.get(server)?.agent,
  };
}

/** Answers by name are the same for every row. */
function memoized(resolve: (name: string) => Resolved): (name: string) => Resolved {
  const answers = new Map<string, Resolved>();
  return (name) => {
    let answer = answers.get(name);
    if (answer === undefined) {
      answer = resolve(name);
      answers.set(name, answer);
    }
    return answer;
  };
}

function refused(problem: string): Resolved {
  return { ok: false, problem };
}

function near(name: string, names: Iterable<string>): string {
  const [best] = suggest(name, names, 1);
  return best === undefined ? "" : ` (did you mean '${best}'?)`;
}

function asInstance(value: unknown): Instance | undefined {
  if (!isRecord(value)) return undefined;
  for (const type of TYPES) {
    const implementations = value[type];
    if (!isRecord(implementations)) continue;
    const [implementation] = Object.keys(implementations);
    const block = implementation === undefined ? undefined : implementations[implementation];
    if (implementation !== undefined && isRecord(block)) return { type, implementation, block };
  }
  return undefined;
}

/** Names of all servers of a type that a block refers to (`{type, name}` at any depth), each once. */
export function references(block: unknown, type?: string): string[] {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isRecord(value)) {
      if (
        typeof value.type === "string" &&
        typeof value.name === "string" &&
        (type === undefined ? (TYPES as readonly string[]).includes(value.type) : value.type === type)
      )
        names.add(value.name);
      Object.values(value).forEach(visit);
    }
  };
  visit(block);
  return [...names];
}

/** The agent that all data sets of a resources server name, if they agree. */
function pinnedAgent(block: Row): string | undefined {
  if (!Array.isArray(block.datasets) || block.datasets.length === 0) return undefined;
  const agents = new Set(block.datasets.map((dataset) => (isRecord(dataset) ? dataset.agent : undefined)));
  const [agent] = agents;
  return agents.size === 1 && typeof agent === "string" ? agent : undefined;
}
