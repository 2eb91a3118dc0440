/** Which agent the rows of a data set go to, and what the runs of a collection are called. Plain values in, plain values out. */
import { GymError } from "../errors/index.ts";

type Fields = Record<string, unknown>;

export interface DatasetRoute {
  /** Instance that declares the data set. */
  declaring: string;
  taskset?: string | null | undefined;
  /** The entry's `agent`. */
  pin?: string | null | undefined;
}

/** The agent of a data set; null where a routed environment server has several and no main one. Throws NG_ERR_CONFIG. */
export function resolveDatasetAgent(config: Fields, { declaring, taskset, pin }: DatasetRoute): string | null {
  if (taskset !== undefined && taskset !== null) return routedAgent(config, taskset, declaring, pin);
  if (agentBlock(config, declaring) !== undefined) {
    if (pin === undefined || pin === null || pin === declaring) return declaring;
    throw refusal(
      `The data set is declared by agent '${declaring}' and pins agent '${pin}'.`,
      "Declare it on the resources server, or drop the pin.",
    );
  }
  const agents = Object.keys(config).filter((name) => referenceName(agentBlock(config, name)?.resources_server) === declaring);
  if (pin !== undefined && pin !== null) {
    if (agents.includes(pin)) return pin;
    throw refusal(
      `The data set of '${declaring}' pins agent '${pin}', but no agent of that name refers to this resources server.`,
      `Agents that do: ${agents.sort().join(", ") || "none"}.`,
    );
  }
  const [only] = agents;
  if (agents.length === 1 && only !== undefined) return only;
  const what =
    agents.length === 0
      ? `No agent in the configuration refers to resources server '${declaring}'.`
      : `${agents.length} agents refer to resources server '${declaring}': ${agents.sort().join(", ")}.`;
  throw refusal(what, `Say which one: +agent_map={${declaring}:<agent>}, or 'agent' in the data set.`);
}

function routedAgent(config: Fields, taskset: string, declaring: string, pin: string | null | undefined): string | null {
  if (pin !== undefined && pin !== null)
    throw refusal(
      `Task set '${taskset}' pins agent '${pin}', but a task set is routed by environment_server_routes.`,
      "Drop one of the two.",
    );
  const route = fields(config.environment_server_routes)?.[taskset];
  if (typeof route !== "string")
    throw refusal(
      `There is no environment server route for task set '${taskset}'.`,
      `Set +environment_server_routes={${taskset}:<environment server>}`,
    );
  const servers = Object.values(fields(fields(config[route])?.environment_servers) ?? {});
  const server = servers.length === 1 ? fields(servers[0]) : undefined;
  if (server === undefined)
    throw refusal(
      `Task set '${taskset}' is routed to '${route}', which is no environment server.`,
      "Routes name instances of environment_servers.",
    );
  const agents = environmentServerAgents(server);
  if (agents.length === 0) throw refusal(`Environment server '${route}' names no agent.`, "Give it an agent_server.");
  for (const agent of agents)
    if (agentBlock(config, agent) === undefined)
      throw refusal(`Environment server '${route}' names agent '${agent}', which does not exist.`, "Correct its agent_server.");
  if (agentBlock(config, declaring) !== undefined) {
    if (!agents.includes(declaring))
      throw refusal(
        `Task set '${taskset}' is declared by agent '${declaring}' but routed to '${route}', which does not name it.`,
        "Route it to the environment server of that agent.",
      );
  } else if (
    referenceName(server.resources_server) !== declaring &&
    !agents.some(
      (agent) => referenceName(agentBlock(config, agent)?.resources_server) === declaring && server.resources_server === undefined,
    )
  ) {
    throw refusal(
      `Environment server '${route}' does not use '${declaring}', which declares task set '${taskset}'.`,
      "Route it to an environment server of that resources server.",
    );
  }
  return environmentServerAttributedAgent(server);
}

/** Agents that a block of an environment server names, in order: first-level typed references, and `agent_server` without type. */
export function environmentServerAgents(server: Fields): string[] {
  return Object.entries(server).flatMap(([key, value]) => {
    const reference = fields(value);
    const isAgent = reference?.type === "responses_api_agents" || (key === "agent_server" && reference?.type === undefined);
    return isAgent && typeof reference?.name === "string" ? [reference.name] : [];
  });
}

/** The agent that an environment server's results count for: `agent_server`'s, else the only one, else none. */
export function environmentServerAttributedAgent(server: Fields): string | null {
  const main = referenceName(server.agent_server);
  if (main !== undefined) return main;
  const agents = environmentServerAgents(server);
  return agents.length === 1 ? (agents[0] ?? null) : null;
}

/** Labels of runs (environment server -> its agent): the agent's name where it identifies one run, else the server's. */
export function runLabels(runs: Record<string, string | null>): Record<string, string> {
  const labels = new Map(Object.entries(runs).map(([key, agent]) => [key, agent ?? key]));
  for (;;) {
    const count = new Map<string, number>();
    for (const label of labels.values()) count.set(label, (count.get(label) ?? 0) + 1);
    const clashing = [...labels].filter(([key, label]) => label !== key && (count.get(label) ?? 0) > 1);
    if (clashing.length === 0) return Object.fromEntries(labels);
    for (const [key] of clashing) labels.set(key, key);
  }
}

function agentBlock(config: Fields, instance: string): Fields | undefined {
  const agents = Object.values(fields(fields(Object.hasOwn(config, instance) ? config[instance] : undefined)?.responses_api_agents) ?? {});
  return agents.length === 1 ? fields(agents[0]) : undefined;
}

function referenceName(value: unknown): string | undefined {
  const name = fields(value)?.name;
  return typeof name === "string" ? name : undefined;
}

function fields(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function refusal(message: string, hint: string): GymError {
  return new GymError("NG_ERR_CONFIG", message, { hint });
}
