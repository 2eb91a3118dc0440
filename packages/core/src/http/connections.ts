/** Connections to one origin: HTTP/1.1 holds one a call, HTTP/2 shares few among all calls. Either way calls beyond the cap wait in order. */
import type { Dispatcher } from "undici";
import { createSemaphore } from "../work/index.ts";
import type { DescriptorPool } from "./descriptors.ts";
import { exclusiveConnections } from "./exclusive-connections.ts";
import { createH2cDispatcher } from "./h2c-dispatcher.ts";
import type { ClientLimits } from "./limits.ts";

/** What a call needs of a dispatcher. */
export type Exchanger = Pick<Dispatcher, "dispatch">;

export interface Connections {
  /**
   * Runs `job` with a dispatcher that has a free connection, waiting in order for one where all are taken.
   * @throws GymError NG_ERR_CANCELLED, NG_ERR_OVERLOADED where too many wait.
   */
  use<T>(job: (dispatcher: Exchanger) => Promise<T>, signal?: AbortSignal): Promise<T>;
  close(): Promise<void>;
}

export interface ConnectionOptions extends ClientLimits {
  /** Shared by the origins of a client; default one of its own. */
  descriptors?: DescriptorPool;
}

export function openConnections(origin: string, h2c: boolean, options: ConnectionOptions): Connections {
  return h2c ? sharedConnections(origin, options) : exclusiveConnections(origin, options);
}

function sharedConnections(origin: string, options: ConnectionOptions): Connections {
  const slots = options.h2cConnectionsPerOrigin * options.h2cStreamsPerConnection;
  const semaphore = createSemaphore({ name: `streams to ${origin}`, slots, queueLimit: options.maxQueuedCalls });
  const dispatcher = createH2cDispatcher(origin, options);
  return {
    use: (job, signal) => semaphore.run(() => job(dispatcher), signal),
    close: async () => dispatcher.destroy(),
  };
}
