/**
 * An `Endpoint` on a socket. One port speaks HTTP/1.1 and HTTP/2 without TLS. Fastify parses and bounds requests; what they mean is the endpoint's
 * business.
 */
import type { Http2ServerRequest, ServerHttp2Session } from "node:http2";
import { createServer as createNetServer, type Server as NetServer, type Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Endpoint } from "../http/index.ts";
import { LISTENER_LIMITS, type ListenerLimits } from "./listener-limits.ts";
import { readRequest, refusedCoding, sendReply } from "./listener-message.ts";
import { detectProtocol } from "./listener-protocol.ts";
import { createProtocolServers } from "./listener-servers.ts";

/** Where to listen: an address, or a server that is bound and listening already. */
export type ListenTarget = { host: string; port: number; reusePort?: boolean } | { bound: NetServer };

export interface Listener {
  readonly port: number;
  /** Calls that are being answered right now. */
  inFlight(): number;
  /** Stops accepting, waits for calls in flight up to the grace period, then cuts them. */
  close(graceMs?: number): Promise<void>;
}

/** @throws the system's error (EADDRINUSE, EACCES, ...) where it cannot listen. */
export async function listen(endpoint: Endpoint, target: ListenTarget, overrides: Partial<ListenerLimits> = {}): Promise<Listener> {
  const limits = { ...LISTENER_LIMITS, ...overrides };
  const sockets = new Set<Socket>();
  const sessions = new Set<ServerHttp2Session>();
  let calls = 0;
  let closing: Promise<void> | undefined;
  let onIdle: (() => void) | undefined;

  async function serve(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    // HTTP/2 hands over what came of a body when its stream was reset.
    if (request.raw.aborted || isReset(request)) return void reply.hijack();
    const gone = new AbortController();
    reply.raw.once("close", () => {
      if (!reply.raw.writableEnded) gone.abort(new Error("the caller went away"));
    });
    calls++;
    try {
      const answer = refusedCoding(request.headers) ?? (await endpoint.handle(readRequest(request, gone.signal)));
      if (gone.signal.aborted) reply.hijack();
      else {
        if (closing && request.raw.httpVersionMajor === 1) reply.header("connection", "close");
        await sendReply(reply, answer, limits.responseTimeoutMs);
      }
    } finally {
      calls--;
      if (calls === 0) onIdle?.();
    }
  }

  const { app, http1, http2 } = await createProtocolServers(serve, limits);
  http2.on("session", (session) => {
    sessions.add(session);
    const silent = setTimeout(() => session.destroy(), limits.headersTimeoutMs);
    session.once("stream", () => clearTimeout(silent));
    session.once("close", () => {
      clearTimeout(silent);
      sessions.delete(session);
    });
  });

  const accept = (socket: Socket): void => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    socket.setNoDelay(true);
    socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
    detectProtocol(socket, {
      timeoutMs: limits.headersTimeoutMs,
      http1: (connection) => http1.emit("connection", connection),
      http2: (connection) => http2.emit("connection", connection),
    });
  };
  const net = "bound" in target ? target.bound : await bind(target);
  net.on("connection", accept);
  const { port } = net.address() as { port: number };

  async function close(graceMs: number): Promise<void> {
    net.close();
    http1.closeIdleConnections();
    const ended = [...sessions].map(closed);
    const grace = timeout(graceMs);
    if (calls > 0) await Promise.race([new Promise<void>((resolve) => (onIdle = resolve)), grace.over]);
    // The last answers may still be on their way out.
    await Promise.race([Promise.all(ended), grace.over]);
    const gone = Promise.all([...sockets].map((socket) => new Promise((resolve) => socket.once("close", resolve))));
    for (const socket of sockets) socket.destroySoon();
    await Promise.race([gone, grace.over]);
    grace.clear();
    for (const session of sessions) session.destroy();
    for (const socket of sockets) socket.destroy();
    await gone;
    http1.close();
    await app.close();
  }

  return {
    port,
    inFlight: () => calls,
    close: (graceMs = limits.graceMs) => (closing ??= close(graceMs)),
  };
}

/** Closes a session in order. One that its caller is closing already ignores that, and would not call back. */
function closed(session: ServerHttp2Session): Promise<void> {
  return new Promise((resolve) => {
    session.once("close", resolve);
    session.close();
  });
}

/** True where the stream of an HTTP/2 request is over before its answer began. */
function isReset({ raw }: FastifyRequest): boolean {
  return raw.httpVersionMajor === 2 && (raw as unknown as Http2ServerRequest).stream.destroyed;
}

/** Probes of an idle connection begin after this: finds callers whose machine is gone. */
const TCP_KEEP_ALIVE_MS = 60_000;

function timeout(ms: number): { over: Promise<void>; clear(): void } {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return { over, clear: () => clearTimeout(timer) };
}

/** Longest queue of connections that were not accepted yet: a burst of thousands of callers fits into it. */
const BACKLOG = 4_096;

/** Binds and listens; who gets the server decides what its connections mean. @throws the system's error. */
export function bind(address: { host: string; port: number; reusePort?: boolean }): Promise<NetServer> {
  return new Promise((resolve, reject) => {
    const net = createNetServer();
    net.once("error", reject);
    net.listen({ ...address, backlog: BACKLOG }, () => {
      net.off("error", reject);
      resolve(net);
    });
  });
}
