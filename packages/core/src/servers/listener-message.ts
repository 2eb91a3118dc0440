/** Between Fastify's request and reply and the endpoint's: what is parsed on the way in, what is written on the way out. */
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import { constants, type Http2ServerResponse } from "node:http2";
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { printable } from "../errors/index.ts";
import { type EndpointReply, type EndpointRequest, readBody } from "../http/index.ts";
import { jsonParts } from "../json/index.ts";
import { withKeepAlive } from "./sse.ts";

/** A silent stream of events gets a comment this often, so that no proxy takes it for dead. */
const SSE_KEEP_ALIVE_MS = 15_000;

/**
 * The answer to a body that is not the bytes that its type says: 415 for a compressed one, 501 for a transfer coding. Undefined for any other. Only
 * what was sent on purpose comes compressed, and a small body that unpacks into a large one would pass every limit.
 */
export function refusedCoding(headers: IncomingHttpHeaders): EndpointReply | undefined {
  const { "content-encoding": encoding, "transfer-encoding": transfer } = headers;
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    const detail = `The body is encoded (content-encoding: ${printable(encoding).slice(0, 100)}); this server takes it plain only.`;
    return { status: 415, body: { detail }, headers: { "accept-encoding": "identity" } };
  }
  if (transfer !== undefined && transfer.toLowerCase() !== "chunked")
    return { status: 501, body: { detail: "The only transfer-encoding that this server takes is chunked." } };
  return undefined;
}

/** Begins a text of UTF-8 that some programs mark; it is no part of the text. */
const BYTE_ORDER_MARK = Buffer.from("\ufeff");
const NOTHING = Buffer.alloc(0);

function withoutMark(body: Buffer | undefined | null): Buffer {
  if (!body) return NOTHING;
  return body[0] === BYTE_ORDER_MARK[0] && body.subarray(0, 3).equals(BYTE_ORDER_MARK) ? body.subarray(3) : body;
}

export function readRequest(request: FastifyRequest, signal: AbortSignal): EndpointRequest {
  const url = request.raw.url ?? "/";
  const query = url.indexOf("?");
  const headers = request.headers;
  const isHttp2 = request.raw.httpVersionMajor === 2;
  return {
    method: request.method,
    path: query < 0 ? url : url.slice(0, query),
    headers: isHttp2 ? withoutPseudo(headers) : (headers as Record<string, string>),
    signal,
    // Servers of ours speak HTTP/2 to each other, and look at the numbers of large arrays when they come in.
    ...readBody(withoutMark(request.body as Buffer | undefined | null), headers["content-type"], { checked: isHttp2 }),
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
    cut(reply, constants.NGHTTP2_INTERNAL_ERROR);
    throw error;
  }
}

/** Ends an answer in the middle: a stream of HTTP/2 with a code, or the whole connection. */
function cut(reply: FastifyReply, code: number): void {
  if (reply.request.raw.httpVersionMajor === 2) (reply.raw as unknown as Http2ServerResponse).stream.close(code);
  else reply.raw.destroy();
}

/** Large arrays go out as they came in: Fastify would want all parts copied into one. */
function sendParts(reply: FastifyReply, parts: readonly Buffer[], length: number): void {
  reply.header("content-length", length).hijack();
  const { raw } = reply;
  raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
  for (const part of parts) raw.write(part);
  raw.end();
}

/** Answers up to this length go out at once, whether or not their caller reads them. */
const UNREAD_BYTES = 65_536;

export async function sendReply(reply: FastifyReply, answer: EndpointReply, responseTimeoutMs: number): Promise<void> {
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
  if (answer.text?.length === 0) {
    await reply.send();
    return;
  }
  if (answer.text === undefined && !reply.hasHeader("content-type")) reply.header("content-type", "application/json");
  // Bytes, because Fastify adds a charset to the content type of a text.
  const content = answer.text ?? jsonParts(answer.body);
  const parts = Array.isArray(content) ? content : [typeof content === "string" ? Buffer.from(content) : content];
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  if (length > UNREAD_BYTES) {
    const overdue = setTimeout(() => cut(reply, constants.NGHTTP2_CANCEL), responseTimeoutMs);
    reply.raw.once("close", () => clearTimeout(overdue));
  }
  if (parts.length === 1) await reply.send(parts[0]);
  else sendParts(reply, parts, length);
}
