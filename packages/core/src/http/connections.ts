/**
 * Connections to one origin. HTTP/1.1 holds one connection a call: slots are kept on a stack (the warmest is used first) and spread over pools of
 * at most 256 connections, because undici searches a pool from its start for each call. HTTP/2 shares few connections among all calls.
 */
import { type Dispatcher, H2CClient, Pool } from "undici";
import { createSemaphore, type SemaphoreStats } from "../work/index.ts";
import type { ClientLimits } from "./limits.ts";

const CONNECTIONS_PER_POOL = 256;

export interface Connections {
  /** Runs `job` with a dispatcher that has a free connection, waiting in order for one where all are taken. */
  use<T>(job: (dispatcher: Dispatcher) => Promise<T>, signal?: AbortSignal): Promise<T>;
  stats(): SemaphoreStats;
  close(): Promise<void>;
}

export function openConnections(origin: string, h2c: boolean, limits: ClientLimits): Connections {
  const slots = h2c ? limits.h2cConnectionsPerOrigin * limits.h2cStreamsPerConnection : limits.maxConnectionsPerOrigin;
  const semaphore = createSemaphore({ name: `connections to ${origin}`, slots });
  const pools: Dispatcher[] = [];
  const free: number[] = [];

  const timeouts = {
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: limits.idleConnectionMs,
    keepAliveMaxTimeout: limits.maxIdleConnectionMs,
    maxHeaderSize: limits.maxResponseHeadBytes,
  };
  const connect = { timeout: limits.connectTimeoutMs, keepAlive: true, keepAliveInitialDelay: 60_000 };

  function openPool(): Dispatcher {
    if (!h2c) return new Pool(origin, { ...timeouts, connect, connections: CONNECTIONS_PER_POOL, pipelining: 1 });
    const streams = { maxConcurrentStreams: limits.h2cStreamsPerConnection, pipelining: limits.h2cStreamsPerConnection };
    return new Pool(origin, {
      connections: limits.h2cConnectionsPerOrigin,
      factory: (url) => new H2CClient(url, { ...timeouts, ...streams, connect }),
    });
  }

  /** The index of a pool with a free connection. */
  function takeSlot(): number {
    if (h2c) {
      if (pools.length === 0) pools.push(openPool());
      return 0;
    }
    const slot = free.pop();
    if (slot !== undefined) return slot;
    pools.push(openPool());
    for (let i = 1; i < CONNECTIONS_PER_POOL; i++) free.push(pools.length - 1);
    return pools.length - 1;
  }

  return {
    use: (job, signal) =>
      semaphore.run(async () => {
        const slot = takeSlot();
        try {
          return await job(pools[slot] as Dispatcher);
        } finally {
          if (!h2c) free.push(slot);
        }
      }, signal),
    stats: () => semaphore.stats(),
    close: async () => {
      await Promise.all(pools.map((pool) => pool.destroy()));
    },
  };
}
