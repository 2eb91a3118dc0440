/** Under which name rows are reported: the agent's, unless several environment servers ran that agent. */

/** Who ran a row. */
export interface AgentLabelRunner {
  environmentServer?: string | undefined;
  agent?: string | undefined;
}

/**
 * One label a runner, in order; undefined where a runner has neither name. The agent's name where exactly one server ran it, else the server's;
 * where two servers would get one label, both get their server's name.
 */
export function agentLabels(runners: readonly AgentLabelRunner[]): (string | undefined)[] {
  const serversOfAgent = new Map<string, Set<string | undefined>>();
  for (const { agent, environmentServer } of runners) {
    if (agent !== undefined) serversOfAgent.set(agent, (serversOfAgent.get(agent) ?? new Set()).add(environmentServer));
  }
  const first = runners.map(({ agent, environmentServer }) => {
    if (environmentServer === undefined) return agent;
    return agent !== undefined && serversOfAgent.get(agent)?.size === 1 ? agent : environmentServer;
  });
  const serversOfLabel = new Map<string, Set<string | undefined>>();
  for (const [index, label] of first.entries()) {
    if (label !== undefined) serversOfLabel.set(label, (serversOfLabel.get(label) ?? new Set()).add(runners[index]?.environmentServer));
  }
  return first.map((label, index) => {
    const clashes = label !== undefined && (serversOfLabel.get(label)?.size ?? 0) > 1;
    return clashes ? (runners[index]?.environmentServer ?? label) : label;
  });
}
