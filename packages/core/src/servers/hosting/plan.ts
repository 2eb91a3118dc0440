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
  language: "node" | "relay";
  hosting: Hosting;
  host: string;
  /** Final once the ports are bound. */
  port: number;
  /** The agent that a relay stands in front of. */
  agent?: string;
}

/** Instances that share a process: all `shared` ones; each `process` one with the relays in front of it. */
export function groupByHost(plans: readonly InstancePlan[]): InstancePlan[][] {
  const isShared = (plan: InstancePlan): boolean => homeOf(plan, plans).hosting === "shared";
  const shared = plans.filter(isShared);
  const own = plans.filter((plan) => plan.language === "node" && !isShared(plan));
  const groups = own.map((plan) => [plan, ...plans.filter((relay) => relay.language === "relay" && relay.agent === plan.name)]);
  return shared.length > 0 ? [shared, ...groups] : groups;
}

/** A relay lives with its agent. */
function homeOf(plan: InstancePlan, plans: readonly InstancePlan[]): InstancePlan {
  return plans.find((candidate) => plan.language === "relay" && candidate.name === plan.agent) ?? plan;
}
