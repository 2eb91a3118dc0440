/** One Fastify in front of two protocol servers, HTTP/1.1 and HTTP/2 without TLS. Neither listens: a listener hands them its connections. */
import { createServer as createHttpServer, type Server as HttpServer, type IncomingMessage } from "node:http";
import { constants, createServer as createHttp2Server, type Http2Server } from "node:http2";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { ListenerLimits } from "./listener-limits.ts";

export interface ProtocolServers {
  app: FastifyInstance;
  http1: HttpServer;
  http2: Http2Server;
}

/** Both hand their requests to `serve`. */
export async function createProtocolServers(
  serve: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
  limits: ListenerLimits,
): Promise<ProtocolServers> {
  let http1: HttpServer | undefined;
  let http2: Http2Server | undefined;
  const app = fastify({
    bodyLimit: limits.maxBodyBytes,
    exposeHeadRoutes: false,
    // A path that is no valid encoding is the endpoint's 404, like any other it does not know.
    frameworkErrors: (_error, request, reply) => void serve(request as FastifyRequest, reply as FastifyReply),
    serverFactory: (handler) => {
      http1 = createHttpServer(
        {
          keepAliveTimeout: limits.keepAliveMs,
          headersTimeout: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
          requestTimeout: limits.requestTimeoutMs,
          connectionsCheckingInterval: Math.min(30_000, Math.ceil(limits.headersTimeoutMs / 2)),
          maxHeaderSize: limits.maxHeaderBytes,
        },
        handler,
      );
      http2 = createHttp2Server(
        {
          settings: {
            maxConcurrentStreams: limits.h2cStreamsPerConnection,
            maxHeaderListSize: limits.maxHeaderBytes,
          },
          maxSessionMemory: limits.h2cSessionMemoryMb,
          // A run that is cancelled takes all its calls back at once, which is no attack: twice what can be open.
          streamResetBurst: 2 * limits.h2cStreamsPerConnection,
          streamResetRate: limits.h2cStreamsPerConnection,
        },
        (request, response) => {
          // Fastify tells a body by its type or its framing headers, and HTTP/2 needs neither.
          if (!request.stream.endAfterHeaders) request.headers["content-type"] ??= "application/json";
          // Its own types know one protocol a server; the handler takes the compatibility request of both.
          handler(request as never, response as never);
        },
      );
      return http1;
    },
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.setErrorHandler(async (error: { statusCode?: number; code?: string; message: string }, request, reply) => {
    // A content type that is none is like one that is not JSON: the route refuses what it cannot read.
    if (error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") return serve(request, reply);
    if (request.raw.httpVersionMajor === 2) reply.removeHeader("connection");
    const tooLarge = error.code === "FST_ERR_CTP_BODY_TOO_LARGE";
    if (tooLarge && request.raw.httpVersionMajor === 1) await drained(request.raw, limits.lingerMs);
    const detail = tooLarge ? `The body is larger than max_body_bytes (${limits.maxBodyBytes}).` : error.message;
    return reply.code(error.statusCode ?? 500).send({ detail });
  });
  app.setNotFoundHandler(serve);
  app.route({ method: ["GET", "POST", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE"], url: "*", handler: serve });
  await app.ready();
  if (http1 === undefined || http2 === undefined) throw new Error("Fastify did not ask for its server");
  // Node watches the time limits of a server's connections, and knows which are idle, only from its "listening" on.
  http1.emit("listening");
  http2.on("sessionError", (_error, session) => session.destroy());
  http2.on("stream", (stream) => {
    if (stream.endAfterHeaders) return;
    const overdue = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), limits.requestTimeoutMs);
    stream.once("end", () => clearTimeout(overdue));
    stream.once("close", () => clearTimeout(overdue));
  });
  return { app, http1, http2 };
}

/**
 * Reads and forgets the rest of a body, for a while: a caller that writes everything before it reads finds its connection broken where the answer is
 * sent, and the connection closed, in the middle of its body.
 */
function drained(request: IncomingMessage, lingerMs: number): Promise<void> {
  return new Promise((resolve) => {
    const enough = setTimeout(resolve, lingerMs);
    const over = (): void => {
      clearTimeout(enough);
      resolve();
    };
    request.once("close", over);
    request.once("end", over);
    request.resume();
  });
}
