/** Between Fastify's request and reply and the endpoint's: what is parsed on the way in, what is written on the way out. */
import type { IncomingHttpHeaders } from "node:http";
import { constants, type Http2ServerResponse } from "node:http2";
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type EndpointReply, type EndpointRequest, readBody } from "../http/index.ts";
import { stringifyJson } from "../json/index.ts";
import { withKeepAlive } from "./sse.ts";

/** A silent stream of events gets a comment this often, so that no proxy takes it for dead. */
const SSE_KEEP_ALIVE_MS = 15_000;

export function readRequest(request: FastifyRequest, signal: AbortSignal): EndpointRequest {
  const url = request.raw.url ?? "/";
  const query = url.indexOf("?");
  const headers = request.headers;
  return {
    method: request.method,
    path: query < 0 ? url : url.slice(0, query),
    headers: request.raw.httpVersionMajor === 2 ? withoutPseudo(headers) : (headers as Record<string, string>),
    signal,
    ...readBody((request.body as Buffer | undefined | null)?.toString("utf8") ?? "", headers["content-type"]),
  };
}

/** HTTP/2 tells method, path and host as headers that begin with a colon; no other protocol could hand those on. */
function withoutPseudo(headers: IncomingHttpHeaders): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const name of Object.keys(headers)) if (!name.startsWith(":")) plain[name] = headers[name] as string;
  if (plain.host === undefined && typeof headers[":authority"] === "string") plain.host = headers[":authority"];
  return plain;
}

/** Ends a stream that breaks off with a reset: by itself HTTP/2 would end it as if it were whole. */
async function* resettingOnError(chunks: AsyncIterable<string>, reply: FastifyReply): AsyncGenerator<string> {
  try {
    yield* chunks;
  } catch (error) {
    (reply.raw as unknown as Http2ServerResponse).stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    throw error;
  }
}

export async function sendReply(reply: FastifyReply, answer: EndpointReply): Promise<void> {
  reply.code(answer.status);
  if (answer.headers) reply.headers(answer.headers);
  if (answer.setCookies && answer.setCookies.length > 0) reply.header("set-cookie", answer.setCookies);
  if (answer.stream) {
    const events = String(reply.getHeader("content-type")).startsWith("text/event-stream");
    const chunks = events ? withKeepAlive(answer.stream, SSE_KEEP_ALIVE_MS) : answer.stream;
    const sent = reply.send(Readable.from(reply.request.raw.httpVersionMajor === 2 ? resettingOnError(chunks, reply) : chunks));
    // The caller learns at once that there is an answer, however long its first event takes.
    reply.raw.flushHeaders();
    await sent;
    return;
  }
  if (answer.text === "") {
    await reply.send();
    return;
  }
  if (answer.text === undefined && !reply.hasHeader("content-type")) reply.header("content-type", "application/json");
  // Bytes, because Fastify adds a charset to the content type of a text.
  await reply.send(Buffer.from(answer.text ?? stringifyJson(answer.body), "utf8"));
}
