/**
 * Connections to one origin. HTTP/1.1 holds one connection a call: clients of one connection each are kept on a stack, the warmest is used first,
 * and a new one is opened only where none is free. (A pool of undici opens up to twice as many: it takes a connection for busy during the turn
 * after its answer.) HTTP/2 shares few connections among all calls.
 */
import { Client, type Dispatcher, H2CClient, Pool } from "undici";
import { createSemaphore, type SemaphoreStats } from "../work/index.ts";
import type { ClientLimits } from "./limits.ts";

export interface Connections {
  /** Runs `job` with a dispatcher that has a free connection, waiting in order for one where all are taken. */
  use<T>(job: (dispatcher: Dispatcher) => Promise<T>, signal?: AbortSignal): Promise<T>;
  stats(): SemaphoreStats;
  close(): Promise<void>;
}

export function openConnections(origin: string, h2c: boolean, limits: ClientLimits): Connections {
  const options = {
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: limits.idleConnectionMs,
    keepAliveMaxTimeout: limits.maxIdleConnectionMs,
    maxHeaderSize: limits.maxResponseHeadBytes,
    connect: { timeout: limits.connectTimeoutMs, keepAlive: true, keepAliveInitialDelay: 60_000 },
  };
  return h2c ? sharedConnections(origin, limits, options) : exclusiveConnections(origin, limits, options);
}

function exclusiveConnections(origin: string, limits: ClientLimits, options: Client.Options): Connections {
  const semaphore = createSemaphore({ name: `connections to ${origin}`, slots: limits.maxConnectionsPerOrigin });
  const all: Client[] = [];
  const free: Client[] = [];

  function open(): Client {
    const client = new Client(origin, { ...options, pipelining: 1 });
    all.push(client);
    return client;
  }

  return {
    use: (job, signal) =>
      semaphore.run(async () => {
        const client = free.pop() ?? open();
        try {
          return await job(client);
        } finally {
          free.push(client);
        }
      }, signal),
    stats: () => semaphore.stats(),
    close: async () => {
      await Promise.all(all.map((client) => client.destroy()));
    },
  };
}

function sharedConnections(origin: string, limits: ClientLimits, options: Client.Options): Connections {
  const { h2cConnectionsPerOrigin: connections, h2cStreamsPerConnection: streams } = limits;
  const semaphore = createSemaphore({ name: `streams to ${origin}`, slots: connections * streams });
  const pool = new Pool(origin, {
    connections,
    factory: (url) => new H2CClient(url, { ...options, maxConcurrentStreams: streams, pipelining: streams }),
  });
  return {
    use: (job, signal) => semaphore.run(() => job(pool), signal),
    stats: () => semaphore.stats(),
    close: () => pool.destroy(),
  };
}
