/**
 * One HTTP/2 connection without TLS: opened with a limit, closed when it was idle for long, out of use once its server says goodbye.
 *
 * The flow-control windows stay at their 64 KiB on both sides. Node does not read from a connection while a write to it waits, so that two sides
 * which may send more to each other than the kernel buffers can stop each other for good.
 */
import { type ClientHttp2Session, connect } from "node:http2";
import { connect as connectSocket } from "node:net";
import type { ClientLimits } from "./limits.ts";

export interface H2cSession {
  /** Resolves with the session when it is connected. Rejects with the system's error, or with UND_ERR_CONNECT_TIMEOUT. */
  readonly connected: Promise<ClientHttp2Session>;
  /** Streams that are open or wait for the connection. */
  open(): number;
  /** May further streams be opened? */
  usable(): boolean;
  /** Counts a stream; the returned function counts it out. */
  enter(): () => void;
  destroy(): void;
}

export function openH2cSession(origin: string, limits: ClientLimits): H2cSession {
  const { hostname, port } = new URL(origin);
  const socket = connectSocket({ host: hostname, port: Number(port || 80), noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 });
  const session = connect(origin, {
    createConnection: () => socket,
    maxSessionMemory: limits.h2cSessionMemoryMb,
    peerMaxConcurrentStreams: limits.h2cStreamsPerConnection,
    settings: { enablePush: false, maxHeaderListSize: limits.maxResponseHeadBytes },
  });
  let streams = 0;
  let usable = true;
  let idle: NodeJS.Timeout | undefined;

  const connected = new Promise<ClientHttp2Session>((resolve, reject) => {
    const late = setTimeout(() => {
      const message = `no connection to ${origin} within ${limits.connectTimeoutMs / 1000} s`;
      session.destroy(Object.assign(new Error(message), { code: "UND_ERR_CONNECT_TIMEOUT" }));
    }, limits.connectTimeoutMs);
    session.once("connect", () => {
      clearTimeout(late);
      resolve(session);
    });
    // Also the sink of errors after the connection stands: each stream tells its own caller.
    session.on("error", (error) => {
      usable = false;
      clearTimeout(late);
      reject(error);
    });
    session.once("close", () => {
      usable = false;
      clearTimeout(late);
      clearTimeout(idle);
      reject(Object.assign(new Error(`the connection to ${origin} was closed`), { code: "ECONNRESET" }));
    });
  });
  connected.catch(() => {});
  session.once("goaway", () => {
    usable = false;
  });

  return {
    connected,
    open: () => streams,
    usable: () => usable && !session.closed && !session.destroyed,
    enter() {
      streams++;
      clearTimeout(idle);
      session.ref();
      let inside = true;
      return () => {
        if (!inside) return;
        inside = false;
        if (--streams > 0 || session.destroyed) return;
        session.unref();
        idle = setTimeout(() => session.close(), limits.maxIdleConnectionMs).unref();
      };
    },
    destroy: () => session.destroy(),
  };
}
