/** Which instance runs where: derived from the configuration before anything starts. */
import type { ServerInstance } from "../../config/index.ts";

export type Hosting = "process" | "shared";

export interface InstancePlan {
  name: string;
  type: ServerInstance["type"];
  implementation: string;
  /** The resolved block. */
  block: Record<string, unknown>;
  /** The server's folder; an environment server has none. */
  dir: string;
  /** Absolute path of the file to run; "" for an environment server. */
  entrypoint: string;
  language: "node" | "environment" | "python";
  hosting: Hosting;
  host: string;
  /** Final once the ports are bound. */
  port: number;
  /** The agent that an environment server stands in front of. */
  agent?: string;
}

/** What runs in one process, and how. */
export interface HostPlan {
  /** `shared`: the launcher's own process. */
  kind: "shared" | "process" | "python";
  /** For a process of its own the instance that it is for comes first, then the environment servers in front of it. */
  plans: InstancePlan[];
}

/** All `shared` instances together; each other one in a process with the environment servers in front of it. */
export function planHosts(plans: readonly InstancePlan[]): HostPlan[] {
  const isShared = (plan: InstancePlan): boolean => {
    const home = homeOf(plan, plans);
    return home.hosting === "shared" && home.language !== "python";
  };
  const shared = plans.filter(isShared);
  const own = plans.filter((plan) => plan.language !== "environment" && !isShared(plan));
  const hosts = own.map((plan): HostPlan => {
    const inFront = plans.filter((one) => one.language === "environment" && one.agent === plan.name);
    return { kind: plan.language === "python" ? "python" : "process", plans: [plan, ...inFront] };
  });
  return shared.length > 0 ? [{ kind: "shared", plans: shared }, ...hosts] : hosts;
}

/** An environment server lives with its agent. */
function homeOf(plan: InstancePlan, plans: readonly InstancePlan[]): InstancePlan {
  return plans.find((candidate) => plan.language === "environment" && candidate.name === plan.agent) ?? plan;
}
