/**
 * An `Endpoint` on a socket. One port speaks HTTP/1.1 and HTTP/2 without TLS: the first bytes of a connection tell which. Fastify parses and bounds
 * requests; what they mean is the endpoint's business.
 */
import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import { createServer as createHttp2Server, type Http2Server, type ServerHttp2Session } from "node:http2";
import { createServer as createNetServer, type Server as NetServer, type Socket } from "node:net";
import { Readable } from "node:stream";
import fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import type { Endpoint, EndpointReply } from "../http/index.ts";
import { messageOf, parseJson, stringifyJson } from "../protocol/index.ts";

export interface ListenerLimits {
  maxBodyBytes: number;
  maxHeaderBytes: number;
  /** Longest time for the head of a request. */
  headersTimeoutMs: number;
  /** Longest time for a whole request to arrive: ends slow and never-ending bodies. */
  requestTimeoutMs: number;
  /** Idle connections are kept this long: longer than a client keeps them. */
  keepAliveMs: number;
  /** Calls in flight get this long at shutdown. */
  graceMs: number;
  h2cStreamsPerConnection: number;
}

export const LISTENER_LIMITS: ListenerLimits = {
  maxBodyBytes: 256 * 1024 * 1024,
  maxHeaderBytes: 64 * 1024,
  headersTimeoutMs: 60_000,
  requestTimeoutMs: 300_000,
  keepAliveMs: 30_000,
  graceMs: 5_000,
  h2cStreamsPerConnection: 4_096,
};

/** Where to listen: an address, or a server that is bound and listening already. */
export type ListenTarget = { host: string; port: number } | { bound: NetServer };

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
  let http1: HttpServer | undefined;
  let http2: Http2Server | undefined;

  const app = fastify({
    bodyLimit: limits.maxBodyBytes,
    exposeHeadRoutes: false,
    serverFactory: (handler) => {
      http1 = createHttpServer(
        {
          keepAliveTimeout: limits.keepAliveMs,
          headersTimeout: limits.headersTimeoutMs,
          requestTimeout: limits.requestTimeoutMs,
          maxHeaderSize: limits.maxHeaderBytes,
        },
        handler,
      );
      // Fastify's own types know one protocol a server; the handler takes the compatibility request of both.
      http2 = createHttp2Server({ settings: { maxConcurrentStreams: limits.h2cStreamsPerConnection } }, handler as never);
      return http1;
    },
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.setErrorHandler((error: { statusCode?: number; code?: string; message: string }, _request, reply) => {
    const tooLarge = error.code === "FST_ERR_CTP_BODY_TOO_LARGE";
    const detail = tooLarge ? `The body is larger than max_body_bytes (${limits.maxBodyBytes}).` : error.message;
    return reply.code(error.statusCode ?? 500).send({ detail });
  });

  async function serve(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const gone = new AbortController();
    const onClose = (): void => {
      if (!reply.raw.writableFinished) gone.abort(new Error("the caller went away"));
    };
    reply.raw.once("close", onClose);
    calls++;
    try {
      const url = request.raw.url ?? "/";
      const query = url.indexOf("?");
      const answer = await endpoint.handle({
        method: request.method,
        path: query < 0 ? url : url.slice(0, query),
        headers: request.headers as Record<string, string>,
        signal: gone.signal,
        ...readBody(request),
      });
      if (!gone.signal.aborted) await send(reply, answer);
    } finally {
      calls--;
    }
  }

  app.route({ method: ["GET", "POST", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE"], url: "*", handler: serve });
  await app.ready();
  http2?.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
  });
  http2?.on("sessionError", (_error, session) => session.destroy());
  http1?.on("clientError", (_error, socket) => socket.destroy());

  const accept = (socket: Socket): void => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    // A connection that never says which protocol it speaks is closed like one that never sends a head.
    socket.setTimeout(limits.headersTimeoutMs, () => socket.destroy());
    socket.once("data", (first: Buffer) => {
      socket.setTimeout(0);
      socket.removeAllListeners("timeout");
      socket.pause();
      socket.unshift(first);
      if (first.subarray(0, 3).toString("latin1") === "PRI") {
        // The HTTP/2 session reads what is buffered by itself; a flowing socket would lose it.
        http2?.emit("connection", socket);
      } else {
        http1?.emit("connection", socket);
        socket.resume();
      }
    });
  };
  const net = "bound" in target ? target.bound : await bind(target);
  net.on("connection", accept);

  return {
    port: (net.address() as { port: number }).port,
    inFlight: () => calls,
    async close(graceMs = limits.graceMs) {
      net.close();
      http1?.closeIdleConnections();
      for (const session of sessions) session.close();
      const deadline = Date.now() + graceMs;
      while (calls > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
      for (const session of sessions) session.destroy();
      for (const socket of sockets) socket.destroy();
      await app.close();
    },
  };
}

/** Longest queue of connections that were not accepted yet: a burst of thousands of callers fits into it. */
const BACKLOG = 4_096;

/** Binds and listens; who gets the server decides what its connections mean. @throws the system's error. */
export function bind(address: { host: string; port: number }): Promise<NetServer> {
  return new Promise((resolve, reject) => {
    const net = createNetServer();
    net.once("error", reject);
    net.listen({ ...address, backlog: BACKLOG }, () => {
      net.off("error", reject);
      resolve(net);
    });
  });
}

interface ReadBody {
  body: unknown;
  malformed?: { offset: number; message: string };
}

/** The body as a JSON value. A content type that is not JSON leaves it a text, which no schema of an object takes. */
function readBody(request: FastifyRequest): ReadBody {
  const bytes = request.body as Buffer | undefined;
  if (bytes === undefined || bytes === null || bytes.length === 0) return { body: undefined };
  const text = bytes.toString("utf8");
  const type = request.headers["content-type"];
  if (type !== undefined && !/^application\/([\w.+-]*\+)?json\b/i.test(type)) return { body: text };
  try {
    return { body: parseJson(text) };
  } catch (error) {
    const offset = /position (\d+)/.exec(messageOf(error))?.[1];
    return { body: undefined, malformed: { offset: offset === undefined ? text.length : Number(offset), message: messageOf(error) } };
  }
}

async function send(reply: FastifyReply, answer: EndpointReply): Promise<void> {
  reply.code(answer.status);
  if (answer.headers) reply.headers(answer.headers);
  if (answer.setCookies && answer.setCookies.length > 0) reply.header("set-cookie", answer.setCookies);
  if (answer.stream) {
    await reply.send(Readable.from(answer.stream));
    return;
  }
  if (answer.text === undefined && !reply.hasHeader("content-type")) reply.header("content-type", "application/json");
  // Bytes, because Fastify adds a charset to the content type of a text.
  await reply.send(Buffer.from(answer.text ?? stringifyJson(answer.body), "utf8"));
}
