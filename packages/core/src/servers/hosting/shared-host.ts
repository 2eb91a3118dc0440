/** Instances in the launcher's own process. */
import { type Listener, listen } from "../listener.ts";
import { type Assembly, type AssemblyOptions, createAssembly } from "./assembly.ts";
import type { Host } from "./host.ts";
import type { InstancePlan } from "./plan.ts";
import type { HostSockets } from "./sockets.ts";

export interface SharedHostOptions extends AssemblyOptions {
  plans: readonly InstancePlan[];
  sockets: HostSockets;
}

export function createSharedHost(options: SharedHostOptions): Host {
  const { plans, sockets } = options;
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
        if (endpoint) for (const bound of sockets.get(plan.name) ?? []) listeners.push(await listen(endpoint, { bound }, bodyLimit(plan)));
      }
      return hosted;
    },
    async stop(graceMs) {
      await Promise.all(listeners.map((listener) => listener.close(graceMs)));
      await assembly.stop();
      return [];
    },
    status: async () => assembly.status("shared"),
  };
}

export function bodyLimit(plan: InstancePlan): { maxBodyBytes?: number } {
  return typeof plan.block.max_body_bytes === "number" ? { maxBodyBytes: plan.block.max_body_bytes } : {};
}
