/**
 * Ends hosts in the order of calls: agents and what stands in front of them first, then what they call. A rollout that is under way can so finish
 * within the grace period, which all stages share.
 */
import type { Host } from "./host.ts";
import type { InstancePlan } from "./plan.ts";

/** Resolves with the names that had to be killed. */
export async function stopHosts(hosts: readonly Host[], plans: readonly InstancePlan[], graceMs: number): Promise<string[]> {
  const began = performance.now();
  const left = (): number => Math.max(0, graceMs - (performance.now() - began));
  const callers = new Set(
    plans.filter(({ type }) => type === "responses_api_agents" || type === "environment_servers").map(({ name }) => name),
  );
  const calls = (host: Host): boolean => host.names.some((name) => callers.has(name));
  const killed: string[] = [];
  for (const stage of [hosts.filter(calls), hosts.filter((host) => !calls(host))])
    killed.push(...(await Promise.all(stage.map((host) => host.stop(left())))).flat());
  return killed;
}
