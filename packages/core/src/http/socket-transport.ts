/** A request over a socket: the connections of each origin, opened when they are first needed out of one pool of descriptors, and redirects followed. */
import type { Connections } from "./connections.ts";
import { createDescriptorPool, type DescriptorPool } from "./descriptors.ts";
import { type ExchangeRequest, exchange } from "./exchange.ts";
import type { ClientLimits } from "./limits.ts";
import type { Reply } from "./message.ts";
import { followRedirects } from "./redirect.ts";

export interface SocketTransport {
  /** `onConnection` is told when the request has a connection to go out on. @throws what `exchange` and `followRedirects` throw. */
  send(request: ExchangeRequest, how?: { h2c?: boolean; onConnection?: () => void }): Promise<Reply>;
  close(): Promise<void>;
}

export function createSocketTransport(limits: ClientLimits): SocketTransport {
  const origins = new Map<string, Promise<Connections>>();
  let descriptors: DescriptorPool | undefined;

  /** What speaks over sockets is loaded with the first connection: a program that only describes its servers opens none. */
  function connectionsTo(origin: string, h2c: boolean): Promise<Connections> {
    const key = h2c ? `h2c ${origin}` : origin;
    let connections = origins.get(key);
    if (connections === undefined) {
      descriptors ??= createDescriptorPool({ reserve: limits.descriptorReserve, maxConnections: limits.maxConnections });
      const options = { ...limits, descriptors };
      connections = import("./connections.ts").then(({ openConnections }) => openConnections(origin, h2c, options));
      origins.set(key, connections);
    }
    return connections;
  }

  return {
    send: (first, { h2c = false, onConnection } = {}) =>
      followRedirects(first, {
        maxRedirects: limits.maxRedirects,
        send: async (request) => {
          const ours = h2c && request.origin === first.origin;
          const connections = await connectionsTo(request.origin, ours);
          return connections.use((dispatcher) => {
            onConnection?.();
            return exchange(dispatcher, ours ? { ...request, ours } : request);
          }, request.signal);
        },
      }),
    close: async () => {
      descriptors?.close();
      await Promise.all([...origins.values()].map(async (connections) => (await connections).close()));
    },
  };
}
