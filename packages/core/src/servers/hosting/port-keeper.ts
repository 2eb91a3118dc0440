/** Holds the bound sockets of a run until their hosts take them. */
import type { Server } from "node:net";
import { bindPort, type PortRange, type PortWish } from "./ports.ts";

export interface PortKeeper extends AsyncDisposable {
  /** Binds and keeps a port; the same number is never given twice. @throws GymError NG_ERR_PORT_IN_USE. */
  bind(wish: PortWish, range: PortRange): Promise<number>;
  /** The bound server of a port, which the caller owns from now on. */
  take(port: number): Server | undefined;
}

export function createPortKeeper(): PortKeeper {
  const kept = new Map<number, Server>();
  const given = new Set<number>();
  return {
    async bind(wish, range) {
      const { server, port } = await bindPort(wish, range, given);
      given.add(port);
      kept.set(port, server);
      return port;
    },
    take(port) {
      const server = kept.get(port);
      kept.delete(port);
      return server;
    },
    async [Symbol.asyncDispose]() {
      for (const server of kept.values()) server.close();
      kept.clear();
    },
  };
}
