/**
 * HTTP/1.1 to one origin: a connection carries one call at a time. Clients of undici with one connection each; the warmest idle one is used first, and a
 * new one is opened only where none is free. (A pool of undici opens up to twice as many: it takes a connection for busy during the turn after its
 * answer.) Where no more may be opened, calls wait in order for the next that is free, here or by a descriptor that others give back.
 */
import { createFifo } from "../work/index.ts";
import { classifyTransportError } from "./classify.ts";
import type { ConnectionOptions, Connections } from "./connections.ts";
import { createDescriptorPool } from "./descriptors.ts";
import { fullQueue, leftQueue } from "./queue-error.ts";
import { Client } from "./undici-client.ts";

interface Slot {
  readonly client: Client;
  connected: boolean;
  /** Place among the idle ones, -1 while it works. */
  idleAt: number;
}

interface Waiting {
  take: (slot: Slot) => void;
}

export function exclusiveConnections(origin: string, limits: ConnectionOptions): Connections {
  const options = {
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: limits.idleConnectionMs,
    keepAliveMaxTimeout: limits.maxIdleConnectionMs,
    maxHeaderSize: limits.maxResponseHeadBytes,
    pipelining: 1,
    connect: { timeout: limits.connectTimeoutMs, keepAlive: true, keepAliveInitialDelay: 60_000 },
  };
  const descriptors =
    limits.descriptors ?? createDescriptorPool({ reserve: limits.descriptorReserve, maxConnections: limits.maxConnections });
  const place = { boundary: origin, url: origin };
  const all = new Set<Slot>();
  const idle: Slot[] = [];
  const waiting = createFifo<Waiting>();
  descriptors.join({ closeIdle });

  /** The descriptor is counted already. */
  function open(): Slot {
    const slot: Slot = { client: new Client(origin, options), connected: false, idleAt: -1 };
    slot.client.on("connect", () => {
      slot.connected = true;
    });
    slot.client.on("disconnect", () => {
      slot.connected = false;
      if (slot.idleAt >= 0) drop(slot);
    });
    all.add(slot);
    return slot;
  }

  function drop(slot: Slot): void {
    if (!all.delete(slot)) return;
    if (slot.idleAt >= 0) {
      const last = idle.pop() as Slot;
      if (last !== slot) {
        idle[slot.idleAt] = last;
        last.idleAt = slot.idleAt;
      }
    }
    void slot.client.destroy();
    descriptors.give();
  }

  /** Another origin needs a descriptor: the coldest connection goes. */
  function closeIdle(): boolean {
    const [coldest] = idle;
    if (coldest !== undefined) drop(coldest);
    return coldest !== undefined;
  }

  function popIdle(): Slot | undefined {
    const slot = idle.pop();
    if (slot !== undefined) slot.idleAt = -1;
    return slot;
  }

  function release(slot: Slot): void {
    const next = waiting.shift();
    if (next !== undefined) next.take(slot);
    else if (!slot.connected || descriptors.waiting() > 0) drop(slot);
    else slot.idleAt = idle.push(slot) - 1;
  }

  function free(): Slot | undefined {
    if (waiting.size > 0) return undefined;
    return popIdle() ?? (all.size < limits.maxConnectionsPerOrigin && descriptors.tryTake(all.size === 0) ? open() : undefined);
  }

  function wait(signal: AbortSignal | undefined): Promise<Slot> {
    if (signal?.aborted) return Promise.reject(leftQueue(place, signal.reason));
    if (waiting.size >= limits.maxQueuedCalls) return Promise.reject(fullQueue(place, limits.maxQueuedCalls));
    return new Promise<Slot>((resolve, reject) => {
      const take = (slot: Slot): void => {
        leave();
        unwant?.();
        signal?.removeEventListener("abort", onAbort);
        resolve(slot);
      };
      const onAbort = (): void => {
        leave();
        unwant?.();
        reject(leftQueue(place, signal?.reason));
      };
      const leave = waiting.push({ take });
      let unwant: (() => void) | undefined;
      signal?.addEventListener("abort", onAbort, { once: true });
      if (all.size < limits.maxConnectionsPerOrigin) {
        unwant = descriptors.want(() => {
          if (all.size >= limits.maxConnectionsPerOrigin) return false;
          take(open());
          return true;
        });
      }
    });
  }

  return {
    async use(job, signal) {
      const slot = free() ?? (await wait(signal));
      try {
        return await job(slot.client);
      } catch (error) {
        if (classifyTransportError(error) === "local_resource") descriptors.shortage();
        throw error;
      } finally {
        release(slot);
      }
    },
    close: async () => {
      await Promise.all([...all].map(({ client }) => client.destroy()));
    },
  };
}
