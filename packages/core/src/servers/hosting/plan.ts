/** Which instance runs where: derived from the configuration before anything starts. */
import type { ServerInstance } from "../../config/index.ts";

export type Hosting = "process" | "shared";

export interface InstancePlan {
  name: string;
  type: ServerInstance["type"];
  implementation: string;
  /** The resolved block. */
  block: Record<string, unknown>;
  /** The server's folder; the relay has none. */
  dir: string;
  /** Absolute path of the file to run; "" for the relay. */
  entrypoint: string;
  language: "node" | "python" | "relay";
  hosting: Hosting;
  host: string;
  /** Final once the ports are bound. */
  port: number;
  /** The agent that a relay stands in front of. */
  agent?: string;
}

/** Instances that share a process: all `shared` ones; each `process` one with the relays in front of it. */
export function groupByHost(plans: readonly InstancePlan[]): InstancePlan[][] {
  const shared = plans.filter((plan) => plan.hosting === "shared" && plan.language === "node");
  const own = plans.filter((plan) => plan.language === "python" || (plan.hosting === "process" && plan.language === "node"));
  const groups = shared.length > 0 ? [shared] : [];
  for (const plan of own) groups.push([plan]);
  for (const relay of plans.filter((plan) => plan.language === "relay")) {
    const home = groups.find((group) => group.some((plan) => plan.name === relay.agent && plan.language === "node"));
    if (home) home.push(relay);
    else groups.push([{ ...relay, hosting: "shared" }]);
  }
  return mergeShared(groups);
}

/** Relays in front of agents of another language run in the launcher, beside what is there already. */
function mergeShared(groups: InstancePlan[][]): InstancePlan[][] {
  const isShared = (group: InstancePlan[]): boolean => group.every((plan) => plan.hosting === "shared");
  const shared = groups.filter(isShared).flat();
  return [...(shared.length > 0 ? [shared] : []), ...groups.filter((group) => !isShared(group))];
}
