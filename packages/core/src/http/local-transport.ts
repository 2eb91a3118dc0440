/** A call to a server of the same process: a function call, with the same paths, redirects, limits and cancel semantics as over a socket. */
import { hopError, kindName } from "./failure.ts";
import { frozenCopy } from "./frozen.ts";
import { timerMs } from "./limits.ts";
import type { Endpoint, EndpointReply, Reply } from "./message.ts";
import { localReply } from "./reply.ts";
import { readBody, TextBody } from "./text-body.ts";

const NEVER = new AbortController().signal;

export interface LocalRequest {
  server: string;
  /** Path and query, as a URL spells them. */
  path: string;
  method: "GET" | "POST";
  headers: Record<string, string>;
  body: unknown;
  timeoutMs: number;
  timeoutName: string;
  maxResponseBytes: number;
  /** Hand over frozen copies instead of the objects themselves. */
  freeze: boolean;
  signal?: AbortSignal;
}

/** @throws GymError NG_ERR_TIMEOUT, NG_ERR_CANCELLED, NG_ERR_PEER_DROP where a streamed answer breaks off, NG_ERR_BAD_RESPONSE where it is too long. */
export function callLocal(endpoint: Endpoint, request: LocalRequest): Promise<Reply> {
  const { server, path, timeoutMs, timeoutName, signal } = request;
  return new Promise<Reply>((resolve, reject) => {
    // Where only the caller can end the call, its own signal is the handler's.
    const inner = timeoutMs > 0 ? new AbortController() : undefined;
    const facts = (failure_kind: string) => ({ failure_kind, boundary: server, url: path });
    const fail = (error: Error): void => {
      settle();
      reject(error);
    };
    const stop = (error: Error): void => {
      fail(error);
      inner?.abort(error);
    };
    const onAbort = (): void =>
      stop(hopError("NG_ERR_CANCELLED", `the call to ${server} was cancelled`, { facts: facts("cancelled"), cause: signal?.reason }));
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    const onLimit = (): void => {
      const message = `${server} did not answer ${path} within the ${timeoutName} of ${timeoutMs / 1000} s`;
      stop(hopError("NG_ERR_TIMEOUT", message, { facts: facts("transport_timeout") }));
    };
    const timer = timeoutMs > 0 ? setTimeout(onLimit, timerMs(timeoutMs)) : undefined;
    if (signal?.aborted) return onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    const done = (reply: EndpointReply): void => {
      settle();
      resolve(localReply({ server, path }, reply));
    };
    let answer: Promise<EndpointReply>;
    try {
      answer = handled(endpoint, request, inner?.signal ?? signal ?? NEVER);
    } catch (error) {
      return fail(error as Error);
    }
    answer
      .then((reply) => {
        if (reply.stream) wholeText(reply.stream, request).then((text) => done({ ...reply, stream: undefined, text }), fail);
        else done(request.freeze && reply.text === undefined ? { ...reply, body: frozenCopy(reply.body) } : reply);
      })
      .catch(fail);
  });
}

function handled(endpoint: Endpoint, request: LocalRequest, signal: AbortSignal): Promise<EndpointReply> {
  const { path, method, headers, freeze } = request;
  const query = path.indexOf("?");
  const bare = query < 0 ? path : path.slice(0, query);
  const body =
    request.body instanceof TextBody
      ? readBody(request.body.text, headers["content-type"])
      : { body: freeze ? frozenCopy(request.body) : request.body };
  return endpoint.handle({ method, path: bare, headers, ...body, signal });
}

/** A streamed answer as the one text that a socket's caller would read. */
async function wholeText(stream: NonNullable<EndpointReply["stream"]>, { server, path, maxResponseBytes }: LocalRequest): Promise<string> {
  const chunks: string[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxResponseBytes) break;
    }
  } catch (cause) {
    const facts = { failure_kind: "transport_peer_drop", boundary: server, url: path };
    throw hopError("NG_ERR_PEER_DROP", `${server} cut its answer to ${path} short after ${size} characters`, { facts, cause });
  }
  if (size > maxResponseBytes) {
    const facts = { failure_kind: `${kindName(server)}:bad_response`, boundary: server, url: path };
    throw hopError("NG_ERR_BAD_RESPONSE", `${server} answered more than maxResponseBytes (${maxResponseBytes}) to ${path}`, { facts });
  }
  return chunks.join("");
}
