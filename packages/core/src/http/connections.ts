/**
 * Connections to one origin. HTTP/1.1 holds one connection a call: clients of one connection each are kept on a stack, the warmest is used first,
 * and a new one is opened only where none is free. (A pool of undici opens up to twice as many: it takes a connection for busy during the turn
 * after its answer.) HTTP/2 shares few connections among all calls.
 */
import type { Dispatcher } from "undici";
import { createSemaphore, type SemaphoreStats } from "../work/index.ts";
import { createH2cDispatcher } from "./h2c-dispatcher.ts";
import type { ClientLimits } from "./limits.ts";
import { Client } from "./undici-client.ts";

/** What a call needs of a dispatcher. */
export type Exchanger = Pick<Dispatcher, "dispatch">;

export interface Connections {
  /** Runs `job` with a dispatcher that has a free connection, waiting in order for one where all are taken. */
  use<T>(job: (dispatcher: Exchanger) => Promise<T>, signal?: AbortSignal): Promise<T>;
  stats(): SemaphoreStats;
  close(): Promise<void>;
}

export function openConnections(origin: string, h2c: boolean, limits: ClientLimits): Connections {
  return h2c ? sharedConnections(origin, limits) : exclusiveConnections(origin, limits);
}

function exclusiveConnections(origin: string, limits: ClientLimits): Connections {
  const options = {
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: limits.idleConnectionMs,
    keepAliveMaxTimeout: limits.maxIdleConnectionMs,
    maxHeaderSize: limits.maxResponseHeadBytes,
    pipelining: 1,
    connect: { timeout: limits.connectTimeoutMs, keepAlive: true, keepAliveInitialDelay: 60_000 },
  };
  const semaphore = createSemaphore({ name: `connections to ${origin}`, slots: limits.maxConnectionsPerOrigin });
  const all: Client[] = [];
  const free: Client[] = [];

  function open(): Client {
    const client = new Client(origin, options);
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

function sharedConnections(origin: string, limits: ClientLimits): Connections {
  const slots = limits.h2cConnectionsPerOrigin * limits.h2cStreamsPerConnection;
  const semaphore = createSemaphore({ name: `streams to ${origin}`, slots });
  const dispatcher = createH2cDispatcher(origin, limits);
  return {
    use: (job, signal) => semaphore.run(() => job(dispatcher), signal),
    stats: () => semaphore.stats(),
    close: async () => dispatcher.destroy(),
  };
}
