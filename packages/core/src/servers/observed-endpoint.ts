/**
 * Takes a request in, whichever way it came and whatever server it is for: opens the call's context, counts it, and records its span. Everything
 * a handler does happens inside.
 */
import type { Endpoint, EndpointReply, EndpointRequest } from "../http/index.ts";
import {
  type CallContext,
  type Log,
  REQUEST_ID_HEADER,
  ROLLOUT_HEADER,
  receivedCall,
  type ServerMeter,
  type Span,
  type Telemetry,
  withCall,
  withinSpan,
} from "../telemetry/index.ts";
import { splitRolloutPrefix, validRolloutId } from "./rollout-prefix.ts";

/** An endpoint that knows its routes: the label of a request is the route as it is declared, never a path somebody sent. */
export interface RoutedEndpoint extends Endpoint {
  /** Undefined for a path that is none. */
  routeOf(path: string): string | undefined;
}

const UNKNOWN_ROUTE = "other";

/** Liveness and readiness paths: a server that answers is ready. Nobody's work, so they are not counted. */
export const HEALTH_PATHS = ["/", "/health", "/healthz", "/livez", "/readyz"];

/** Groups of spans that a configuration may name. */
const GROUP_OF: Readonly<Record<string, string>> = { "/run": "rollout", "/verify": "verify", "/v1/responses": "agent" };

/** How a failure counts whose caller had left: nobody took the answer, and nothing is wrong with the server. */
const LEFT = 499;

const UNCOUNTED = new Set(HEALTH_PATHS);

export function observed(name: string, endpoint: RoutedEndpoint, telemetry: Telemetry): Endpoint {
  const { meter, tracing } = telemetry;
  const counter = meter.server(name);
  const log = telemetry.level === "debug" ? telemetry.logOf(name) : undefined;
  return {
    handle(request) {
      if (request.method === "GET" && UNCOUNTED.has(request.path)) return endpoint.handle(request);
      const route = endpoint.routeOf(request.path) ?? UNKNOWN_ROUTE;
      const call = receivedCall(name, request.headers, rolloutOf(request));
      const span = tracing?.start({
        kind: "server",
        name: `${request.method} ${route}`,
        server: name,
        group: GROUP_OF[route],
        traceparent: request.headers.traceparent,
        facts: {
          "http.request.method": request.method,
          "http.route": route,
          "gym.server": name,
          "gym.rollout.id": call.rolloutId,
          "gym.request.id": call.requestId,
        },
      });
      const inside = span === undefined ? call : withinSpan(call, span.trace);
      return withCall(inside, () => answer(endpoint, request, { call: inside, counter, route, span, log }));
    },
  };
}

interface Around {
  call: CallContext;
  counter: ServerMeter;
  route: string;
  span: Span | undefined;
  /** Present where each request is a line of the log. */
  log: Log | undefined;
}

/** No frame of its own waits for the answer: tens of thousands may. */
function answer(endpoint: Endpoint, request: EndpointRequest, { call, counter, route, span, log }: Around): Promise<EndpointReply> {
  const began = performance.now();
  const end = (told: number): void => {
    const status = told >= 500 && request.signal.aborted ? LEFT : told;
    const ms = performance.now() - began;
    counter.ended(route, status, ms);
    span?.end(status);
    log?.debug(`${request.method} ${route} ${status}`, { ms: Math.round(ms * 10) / 10 });
  };
  counter.began();
  return endpoint.handle(request).then(
    (reply) => {
      if (reply.stream === undefined) {
        end(reply.status);
        // Who reports a failure can say which lines of the log belong to it.
        return reply.status >= 500 ? { ...reply, headers: { ...reply.headers, [REQUEST_ID_HEADER]: call.requestId } } : reply;
      }
      return { ...reply, stream: watched(reply.stream, { call, signal: request.signal, end: () => end(reply.status) }) };
    },
    (error) => {
      end(500);
      throw error;
    },
  );
}

/** A streamed answer is at work until its last piece is out, or its reader has gone; its pieces are made within the call. */
function watched(
  stream: AsyncIterable<string>,
  { call, signal, end }: { call: CallContext; signal: AbortSignal; end: () => void },
): AsyncIterable<string> {
  let open = true;
  const close = (): void => {
    if (!open) return;
    open = false;
    signal.removeEventListener("abort", close);
    end();
  };
  if (signal.aborted) close();
  else signal.addEventListener("abort", close, { once: true });
  return {
    [Symbol.asyncIterator]() {
      const pieces = withCall(call, () => stream[Symbol.asyncIterator]());
      return {
        async next() {
          try {
            const piece = await withCall(call, () => pieces.next());
            if (piece.done) close();
            return piece;
          } catch (error) {
            close();
            throw error;
          }
        },
        async return(value) {
          close();
          return (await withCall(call, () => pieces.return?.(value))) ?? { done: true, value };
        },
      };
    },
  };
}

/** The rollout that a request belongs to: of its path, its headers, or the row that it carries. */
function rolloutOf({ path, headers, body }: EndpointRequest): string | undefined {
  const told = path.startsWith("/ng-rollout/") ? splitRolloutPrefix(path).rolloutId : undefined;
  return told ?? validRolloutId(headers["x-ng-rollout-id"]) ?? validRolloutId(headers[ROLLOUT_HEADER]) ?? rolloutOfRow(body);
}

function rolloutOfRow(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  const { _ng_task_index: task, _ng_rollout_index: rollout } = body as Record<string, unknown>;
  return typeof task === "number" && typeof rollout === "number" ? `${task}-${rollout}` : undefined;
}
