/** Which instance runs where: derived from the configuration before anything starts. */
import type { ServerInstance } from "../../config/index.ts";
import { shareOf } from "./shares.ts";

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
  /** Final once the ports are bound. The copies share it. */
  port: number;
  /** Processes that run the instance. */
  copies: number;
  /** Where there are several: a port of each one's own, once the ports are bound. */
  copyPorts?: number[];
  /** The interpreter of a Python server. */
  python?: string;
  /** How often it may be started anew; a process of its own only. */
  restarts?: number;
  /** The agent that an environment server stands in front of. */
  agent?: string;
}

/** What runs in one process, and how. */
export interface HostPlan {
  /** `shared`: the launcher's own process; `group`: a child that runs what it would run. */
  kind: "shared" | "group" | "process" | "python";
  /** For a process of its own the instance that it is for comes first, then the environment servers in front of it. */
  plans: InstancePlan[];
  /** Its number among the processes that run the same; undefined where it is the only one. */
  copy?: number;
}

/**
 * All `shared` instances together; each other one in a process with the environment servers in front of it. Those in front of Python agents, which
 * cannot hold them, are in the launcher's process too, apart from the others: they are stopped before the agents are. A group with copies is there as
 * often as it has copies, in children.
 */
export function planHosts(plans: readonly InstancePlan[]): HostPlan[] {
  const isShared = (plan: InstancePlan): boolean => {
    const home = homeOf(plan, plans);
    return home.hosting === "shared" && home.language !== "python";
  };
  const inFrontOf = (plan: InstancePlan): InstancePlan[] =>
    plans.filter((one) => one.language === "environment" && one.agent === plan.name);
  const shared = plans.filter(isShared);
  const python = plans.filter((plan) => plan.language === "python");
  const inFrontOfPython = python.flatMap(inFrontOf);
  const own = plans.filter((plan) => plan.language === "node" && !isShared(plan));
  return [
    ...[shared, inFrontOfPython].filter((group) => group.length > 0).flatMap((group) => copied({ kind: "shared", plans: group })),
    ...own.flatMap((plan) => copied({ kind: "process", plans: [plan, ...inFrontOf(plan)] })),
    ...python.map((plan): HostPlan => ({ kind: "python", plans: [plan] })),
  ];
}

/** Where each copy is reached, in the order of their numbers; undefined where there is only one process. */
export function copyUrls({ host, copyPorts }: InstancePlan): string[] | undefined {
  return copyPorts?.map((port) => `http://${host}:${port}`);
}

function copied({ kind, plans }: HostPlan): HostPlan[] {
  const copies = plans[0]?.copies ?? 1;
  if (copies === 1) return [{ kind, plans }];
  return Array.from({ length: copies }, (_, copy) => ({
    kind: kind === "shared" ? "group" : kind,
    plans: plans.map((plan) => shareOf(plan, copy)),
    copy,
  }));
}

/** An environment server lives with its agent. */
export function homeOf(plan: InstancePlan, plans: readonly InstancePlan[]): InstancePlan {
  return plans.find((candidate) => plan.language === "environment" && candidate.name === plan.agent) ?? plan;
}
