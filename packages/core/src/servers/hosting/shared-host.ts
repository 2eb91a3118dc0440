/** Instances in the launcher's own process. */
import type { Server } from "node:net";
import { type Listener, listen } from "../listener.ts";
import { type Assembly, type AssemblyOptions, createAssembly } from "./assembly.ts";
import type { Host } from "./host.ts";
import type { InstancePlan } from "./plan.ts";

export interface SharedHostOptions extends AssemblyOptions {
  plans: readonly InstancePlan[];
  bound: ReadonlyMap<string, Server>;
}

export function createSharedHost(options: SharedHostOptions): Host {
  const { plans, bound } = options;
  const assembly: Assembly = createAssembly(options);
  const listeners: Listener[] = [];
  return {
    names: plans.map((plan) => plan.name),
    hosting: "shared",
    pid: process.pid,
    died: new Promise(() => {}),
    async start() {
      const hosted = [];
      for (const plan of plans) hosted.push(await assembly.add(plan));
      await assembly.start();
      for (const plan of plans) {
        const endpoint = assembly.endpoints.get(plan.name);
        const server = bound.get(plan.name);
        if (endpoint && server) listeners.push(await listen(endpoint, { bound: server }, bodyLimit(plan)));
      }
      return hosted;
    },
    async stop(graceMs) {
      await Promise.all(listeners.map((listener) => listener.close(graceMs)));
      await assembly.stop();
      return [];
    },
  };
}

export function bodyLimit(plan: InstancePlan): { maxBodyBytes?: number } {
  return typeof plan.block.max_body_bytes === "number" ? { maxBodyBytes: plan.block.max_body_bytes } : {};
}
