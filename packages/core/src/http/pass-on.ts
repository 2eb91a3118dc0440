/**
 * Hands a request that a server has taken in on to another process, and its answer back as it comes: a stream of events is passed on event by event.
 * Nothing is repeated here and nothing limits the time: both are the business of who called.
 */
import { setMaxListeners } from "node:events";
import { Readable } from "node:stream";
import { GymError, messageOf } from "../errors/index.ts";
import { classifyTransportError, FAILURE_CODE, FAILURE_KIND } from "./classify.ts";
import type { Connections } from "./connections.ts";
import { hopError } from "./failure.ts";
import { CLIENT_LIMITS, type ClientLimits } from "./limits.ts";
import type { EndpointReply, EndpointRequest } from "./message.ts";
import { bodyContent } from "./request.ts";

export interface PassOnTarget {
  /** The server behind the address, for errors. */
  server: string;
  origin: string;
}

export interface PassOn {
  /** @throws GymError NG_ERR_UNREACHABLE, NG_ERR_PEER_DROP, NG_ERR_LOCAL_RESOURCE, NG_ERR_CANCELLED, NG_ERR_BAD_RESPONSE for too long an answer. */
  send(target: PassOnTarget, request: EndpointRequest): Promise<EndpointReply>;
  close(): Promise<void>;
}

export function createPassOn(overrides: Partial<ClientLimits> = {}): PassOn {
  const limits = { ...CLIENT_LIMITS, ...overrides };
  const origins = new Map<string, Promise<Connections>>();

  function connectionsTo(origin: string): Promise<Connections> {
    let connections = origins.get(origin);
    if (connections === undefined) {
      connections = import("./connections.ts").then(({ openConnections }) => openConnections(origin, true, limits));
      origins.set(origin, connections);
    }
    return connections;
  }

  return {
    async send(target, request) {
      const connections = await connectionsTo(target.origin);
      const answer = Promise.withResolvers<EndpointReply>();
      setMaxListeners(0, request.signal);
      const passing: Passing = { target, request, limits, answer };
      connections.use((dispatcher) => new Promise<void>((done) => pass(dispatcher, passing, done)), request.signal).catch(answer.reject);
      return answer.promise;
    },
    close: async () => {
      await Promise.all([...origins.values()].map(async (connections) => (await connections).close()));
    },
  };
}

type Exchanger = Parameters<Parameters<Connections["use"]>[0]>[0];

interface Passing {
  target: PassOnTarget;
  request: EndpointRequest;
  limits: ClientLimits;
  answer: PromiseWithResolvers<EndpointReply>;
}

/** One exchange; `done` when its connection is free again. */
function pass(dispatcher: Exchanger, { target, request, limits, answer }: Passing, done: () => void): void {
  const { signal } = request;
  const { origin } = target;
  const body = request.unread ?? bodyContent(request.body) ?? null;
  const chunks: Buffer[] = [];
  let size = 0;
  let head: EndpointReply | undefined;
  let stream: Readable | undefined;
  let abort: (reason: Error) => void = () => {};

  const onAbort = (): void => abort(failure("NG_ERR_CANCELLED", "the caller left", { kind: "cancelled", target, request }));
  const end = (): void => {
    signal.removeEventListener("abort", onAbort);
    done();
  };

  dispatcher.dispatch(
    { origin, path: request.path, method: request.method as "POST", headers: request.headers, body },
    {
      onRequestStart(controller) {
        abort = (reason) => controller.abort(reason);
        if (signal.aborted) onAbort();
        else signal.addEventListener("abort", onAbort, { once: true });
      },
      onResponseStart(_controller, status, received) {
        head = { status, body: null, ...headOf(received) };
        if (head.headers?.["content-type"]?.startsWith("text/event-stream") !== true) return;
        stream = new Readable({ encoding: "utf8", read() {} });
        stream.once("close", () => abort(new Error("nobody reads on")));
        // Whoever reads it is told; that nobody does is no failure of ours.
        stream.on("error", () => {});
        answer.resolve({ ...head, stream });
      },
      onResponseData(_controller, chunk) {
        size += chunk.length;
        if (size > limits.maxResponseBytes) {
          const long = `answered more than maxResponseBytes (${limits.maxResponseBytes})`;
          return abort(failure("NG_ERR_BAD_RESPONSE", long, { kind: "transport_peer_drop", target, request }));
        }
        if (stream === undefined) chunks.push(chunk);
        else stream.push(chunk);
      },
      onResponseEnd() {
        end();
        if (stream === undefined) answer.resolve({ ...(head as EndpointReply), text: Buffer.concat(chunks, size).toString("utf8") });
        else stream.push(null);
      },
      onResponseError(_controller, error) {
        end();
        const known = error instanceof GymError ? error : transportError(error, target, request);
        answer.reject(known);
        stream?.destroy(known);
      },
    },
  );
}

function headOf(received: Record<string, string | string[] | undefined>): Pick<EndpointReply, "headers" | "setCookies"> {
  const { "set-cookie": cookies, ...others } = received;
  const headers = Object.fromEntries(Object.entries(others).map(([name, value]) => [name, String(value)]));
  return { headers, setCookies: cookies === undefined ? [] : [cookies].flat() };
}

function transportError(error: Error, target: PassOnTarget, request: EndpointRequest): GymError {
  const kind = classifyTransportError(error) ?? "peer_drop";
  return failure(FAILURE_CODE[kind], messageOf(error), { kind: FAILURE_KIND[kind], target, request, cause: error });
}

interface What {
  kind: string;
  target: PassOnTarget;
  request: EndpointRequest;
  cause?: unknown;
}

function failure(code: Parameters<typeof hopError>[0], what: string, { kind, target, request, cause }: What): GymError {
  const url = target.origin + request.path;
  const facts = { failure_kind: kind, boundary: target.server, url };
  return hopError(code, `${target.server}: a call was handed on to ${url}: ${what}`, { facts, cause });
}
