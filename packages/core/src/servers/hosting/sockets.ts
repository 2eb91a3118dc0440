/**
 * The sockets of a run, bound before any of its hosts starts. The copies of an instance share its port: each has a listening socket of its own there, and
 * the kernel spreads connections over them. Each has a port of its own besides, where callers that choose a copy reach it, and the others hand over to it.
 */
import type { Server } from "node:net";
import type { LoadedConfig } from "../../config/index.ts";
import type { InstancePlan } from "./plan.ts";
import { bindPort, bindTogether } from "./ports.ts";

/** What one host listens on, by instance name: the shared port first, then its own where it has copies. */
export type HostSockets = ReadonlyMap<string, readonly Server[]>;

export interface Sockets {
  readonly head: Server;
  readonly headPort: number;
  /** Of the copy with this number. */
  of(plans: readonly InstancePlan[], copy: number | undefined): HostSockets;
  close(): void;
}

/**
 * Binds all ports, fixed ones first, so that no free port is given where a fixed one is meant, and writes them into the plans.
 * @throws GymError NG_ERR_PORT_IN_USE; nothing stays bound.
 */
export async function bindAll(plans: readonly InstancePlan[], config: LoadedConfig): Promise<Sockets> {
  const range = { low: Number(config.get("port_range_low") ?? 10_001), high: Number(config.get("port_range_high") ?? 20_000) };
  const all: Server[] = [];
  const shared = new Map<string, Server[]>();
  const own = new Map<string, Server[]>();
  const taken = new Set<number>();
  const bindOne = async (server: string, host: string, port: number | null): Promise<{ server: Server; port: number }> => {
    const bound = await bindPort({ server, host, port }, range, taken);
    taken.add(bound.port);
    all.push(bound.server);
    return bound;
  };
  const close = (): void => {
    for (const server of all) server.close();
  };
  try {
    const { host, port } = config.headServer;
    const head = await bindOne("the head server", host, port === null ? null : Number(port));
    const fixed = plans.filter((plan) => plan.port > 0);
    for (const plan of [...fixed, ...plans.filter((one) => !fixed.includes(one))]) {
      const first = await bindOne(plan.name, plan.host, plan.port || null);
      plan.port = first.port;
      shared.set(plan.name, plan.copies === 1 ? [first.server] : await bindTogether(first.server, plan));
      all.push(...(shared.get(plan.name) ?? []));
    }
    for (const plan of plans.filter(({ copies }) => copies > 1)) {
      const ports = [];
      for (let copy = 0; copy < plan.copies; copy++) ports.push(await bindOne(plan.name, plan.host, null));
      plan.copyPorts = ports.map((one) => one.port);
      own.set(
        plan.name,
        ports.map((one) => one.server),
      );
    }
    return {
      head: head.server,
      headPort: head.port,
      of: (inside, copy = 0) =>
        new Map(inside.map(({ name }) => [name, [shared.get(name)?.[copy], own.get(name)?.[copy]].filter((one) => one !== undefined)])),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}
