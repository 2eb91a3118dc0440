/** Between Fastify's request and reply and the endpoint's: what is parsed on the way in, what is written on the way out. */
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { constants, type ServerHttp2Stream } from "node:http2";
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

/** Writes the answer to the connection itself: Fastify's own way out adds copies, hooks and a charset, and none of its services is used here. */
export function sendReply(reply: FastifyReply, answer: EndpointReply): void {
  reply.hijack();
  const { raw } = reply;
  raw.statusCode = answer.status;
  const { headers = {}, setCookies = [] } = answer;
  for (const name of Object.keys(headers)) raw.setHeader(name, headers[name] as string);
  if (setCookies.length > 0) raw.setHeader("set-cookie", setCookies);
  if (answer.stream) return sendStream(raw, answer.stream);
  if (answer.text === undefined && !raw.hasHeader("content-type")) raw.setHeader("content-type", "application/json");
  const text = answer.text ?? stringifyJson(answer.body);
  raw.setHeader("content-length", Buffer.byteLength(text));
  raw.end(text);
}

/** The caller learns at once that there is an answer, however long its first chunk takes. A source that breaks off ends in a reset. */
function sendStream(raw: ServerResponse, stream: AsyncIterable<string>): void {
  const events = String(raw.getHeader("content-type")).startsWith("text/event-stream");
  const chunks = Readable.from(events ? withKeepAlive(stream, SSE_KEEP_ALIVE_MS) : stream);
  raw.flushHeaders();
  chunks.once("error", () => {
    // By itself HTTP/2 would end the stream as if it were whole.
    if ("stream" in raw) (raw.stream as ServerHttp2Stream).close(constants.NGHTTP2_INTERNAL_ERROR);
    else raw.destroy();
  });
  raw.once("close", () => chunks.destroy());
  chunks.pipe(raw);
}
