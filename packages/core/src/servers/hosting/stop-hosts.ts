/**
 * Ends hosts in the order of calls: what only stands in front of agents, agents, then what they call. A rollout that is under way can so finish
 * within the grace period, which all stages share.
 */
import type { Host } from "./host.ts";
import type { InstancePlan } from "./plan.ts";

/** Resolves with the names that had to be killed. */
export async function stopHosts(hosts: readonly Host[], plans: readonly InstancePlan[], graceMs: number): Promise<string[]> {
  const began = performance.now();
  const left = (): number => Math.max(0, graceMs - (performance.now() - began));
  const named = (type: InstancePlan["type"]): Set<string> => new Set(plans.filter((plan) => plan.type === type).map(({ name }) => name));
  const environments = named("environment_servers");
  const agents = named("responses_api_agents");
  const stageOf = (host: Host): number => {
    if (host.names.every((name) => environments.has(name))) return 0;
    return host.names.some((name) => agents.has(name) || environments.has(name)) ? 1 : 2;
  };
  const killed: string[] = [];
  for (const stage of [0, 1, 2].map((number) => hosts.filter((host) => stageOf(host) === number)))
    killed.push(...(await Promise.all(stage.map((host) => host.stop(left())))).flat());
  return killed;
}
