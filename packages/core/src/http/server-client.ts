/** The only way to call anything: servers of the configuration by name, endpoints outside by URL. Picks the transport, applies limits and retries. */
import { setMaxListeners } from "node:events";
import { stringifyJson } from "../json/index.ts";
import type { Connections } from "./connections.ts";
import { withoutEchoes } from "./echo.ts";
import { type ExchangeRequest, exchange } from "./exchange.ts";
import { CLIENT_LIMITS, type ClientLimits } from "./limits.ts";
import { callLocal } from "./local-transport.ts";
import type { Call, CallKind, Endpoint, Reply, ServerAddress } from "./message.ts";
import { followRedirects } from "./redirect.ts";
import { type RetryClock, type RetryNotice, withRetries } from "./retry.ts";
import { DEFAULT_RETRY_POLICY, type RetryPolicy } from "./retry-policy.ts";
import { cleanPath, splitUrl, type Target, targetOf } from "./target.ts";
import { TextBody } from "./text-body.ts";

/** Stands for this process where a redirect is resolved; `.invalid` is no host (RFC 2606). */
const LOCAL_ORIGIN = "http://local.invalid";

export interface ServerClientOptions {
  /** @throws GymError NG_ERR_SERVER_NOT_FOUND for a name that the configuration does not have. */
  addressOf: (server: string) => ServerAddress;
  /** Servers of this process: called as functions. */
  local?: ReadonlyMap<string, Endpoint>;
  limits?: Partial<ClientLimits>;
  policy?: Partial<RetryPolicy>;
  onRetry?: (notice: RetryNotice) => void;
  clock?: RetryClock;
  /** Hand servers of this process frozen copies, and their answers back as frozen copies: tests prove with it that nobody changes what is not theirs. */
  freezeLocal?: boolean;
  /** Headers that go with every call, asked for at each: what correlates it with the call that caused it. A call's own headers win. */
  outgoing?: () => Record<string, string>;
  /** Told the end of every call, tries and pauses included. */
  onCall?: (call: CallRecord) => void;
}

/** How a call ended. */
export interface CallRecord {
  target: string;
  kind: CallKind;
  path: string;
  /** Undefined where no reply could be had. */
  status: number | undefined;
  durationMs: number;
}

export interface OutsideCall extends Call {
  /** Caps all tries of this call. */
  maxAttempts?: number;
  retryStatuses?: readonly number[];
}

/** What is going on with one target. */
export interface TargetStats {
  calls: number;
  inFlight: number;
  retries: number;
  errors: number;
}

export interface ServerClient extends AsyncDisposable {
  /** Calls a server of the configuration. @throws GymError when no reply can be had. */
  call(server: string, call: Call): Promise<Reply>;
  /** Calls an endpoint outside; `name` labels it in messages and failure facts. @throws GymError when no reply can be had. */
  fetch(target: { name: string; url: string }, call: OutsideCall): Promise<Reply>;
  /** By target name. */
  stats(): Record<string, TargetStats>;
}

const TIMEOUT_OF = {
  model: "modelTimeoutMs",
  tool: "toolTimeoutMs",
  verify: "verifyTimeoutMs",
  seed: "seedTimeoutMs",
  run: "runTimeoutMs",
  agent: "runTimeoutMs",
  control: "controlTimeoutMs",
} as const satisfies Record<CallKind, keyof ClientLimits>;

const TIMEOUT_NAME = {
  model: "model time-out",
  tool: "tool time-out",
  verify: "verify time-out",
  seed: "seed time-out",
  run: "run time-out",
  agent: "run time-out",
  control: "control time-out",
} as const satisfies Record<CallKind, string>;

/** Calls that may be sent again after their body was delivered: all but a whole rollout and an agent's own loop. */
function replays(call: Call): boolean {
  return call.replay ?? (call.kind !== "run" && call.kind !== "agent");
}

export function createServerClient(options: ServerClientOptions): ServerClient {
  const limits = { ...CLIENT_LIMITS, ...options.limits };
  const policy = { ...DEFAULT_RETRY_POLICY, ...options.policy };
  const origins = new Map<string, Promise<Connections>>();
  const targets = new Map<string, TargetStats>();

  /** What speaks over sockets is loaded with the first connection: a program that only describes its servers opens none. */
  function connectionsTo(origin: string, h2c: boolean): Promise<Connections> {
    const key = h2c ? `h2c ${origin}` : origin;
    let connections = origins.get(key);
    if (connections === undefined) {
      connections = import("./connections.ts").then(({ openConnections }) => openConnections(origin, h2c, limits));
      origins.set(key, connections);
    }
    return connections;
  }

  function statsOf(name: string): TargetStats {
    let stats = targets.get(name);
    if (stats === undefined) {
      stats = { calls: 0, inFlight: 0, retries: 0, errors: 0 };
      targets.set(name, stats);
    }
    return stats;
  }

  function onSocket(first: ExchangeRequest, h2c: boolean): Promise<Reply> {
    return followRedirects(first, {
      maxRedirects: limits.maxRedirects,
      send: async (request) => {
        const connections = await connectionsTo(request.origin, h2c && request.origin === first.origin);
        return connections.use((dispatcher) => exchange(dispatcher, request), request.signal);
      },
    });
  }

  function overSocket(name: string, target: Target, call: OutsideCall, how: { h2c: boolean; outside: boolean }): Promise<Reply> {
    const body = bodyText(call.body);
    const request: ExchangeRequest = { ...requestOf(name, target, call), body };
    const send = async (): Promise<Reply> => {
      const reply = await onSocket(request, how.h2c);
      return how.outside ? withoutEchoes(reply, call, name) : reply;
    };
    return withRetries(send, {
      policy: policyOf(call),
      server: name,
      url: target.origin + target.path,
      replay: replays(call),
      statuses: how.outside,
      signal: call.signal,
      timeoutName: request.timeoutName,
      clock: options.clock,
      onRetry: (notice) => {
        statsOf(name).retries++;
        options.onRetry?.(notice);
      },
    });
  }

  function inProcess(name: string, endpoint: Endpoint, call: Call): Promise<Reply> {
    const target = { origin: LOCAL_ORIGIN, path: cleanPath(call.path) };
    const first = { ...requestOf(name, target, call), body: call.body, freeze: options.freezeLocal === true };
    return followRedirects(first, {
      maxRedirects: limits.maxRedirects,
      send: (request) =>
        request.origin === LOCAL_ORIGIN ? callLocal(endpoint, request) : onSocket({ ...request, body: bodyText(request.body) }, false),
    });
  }

  function requestOf(server: string, target: Target, call: Call): Omit<ExchangeRequest, "body"> {
    return {
      server,
      origin: target.origin,
      path: target.path,
      method: call.method ?? "POST",
      headers: requestHeaders(call, options.outgoing?.()),
      timeoutMs: call.timeoutMs ?? limits[TIMEOUT_OF[call.kind]],
      timeoutName: TIMEOUT_NAME[call.kind],
      maxResponseBytes: limits.maxResponseBytes,
      signal: call.signal,
    };
  }

  function policyOf({ maxAttempts, retryStatuses }: OutsideCall): RetryPolicy {
    if (maxAttempts === undefined && retryStatuses === undefined) return policy;
    return { ...policy, maxAttempts: maxAttempts ?? policy.maxAttempts, retryStatuses: retryStatuses ?? policy.retryStatuses };
  }

  async function counted(name: string, call: Call, send: () => Promise<Reply>): Promise<Reply> {
    const stats = statsOf(name);
    const began = options.onCall === undefined ? 0 : performance.now();
    let status: number | undefined;
    stats.calls++;
    stats.inFlight++;
    if (call.signal) setMaxListeners(0, call.signal);
    try {
      const reply = await send();
      status = reply.status;
      call.jar?.take(reply.setCookies);
      return reply;
    } catch (error) {
      stats.errors++;
      throw error;
    } finally {
      stats.inFlight--;
      options.onCall?.({ target: name, kind: call.kind, path: call.path, status, durationMs: performance.now() - began });
    }
  }

  return {
    call: (server, call) =>
      counted(server, call, () => {
        const endpoint = options.local?.get(server);
        if (endpoint !== undefined) return inProcess(server, endpoint, call);
        const address = options.addressOf(server);
        return overSocket(server, targetOf(address.url, call.path), call, { h2c: address.h2c === true, outside: false });
      }),
    fetch: (target, call) =>
      counted(target.name, call, () => overSocket(target.name, splitUrl(target.url), call, { h2c: false, outside: true })),
    stats: () => Object.fromEntries(targets),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...origins.values()].map(async (connections) => (await connections).close()));
    },
  };
}

function bodyText(body: unknown): string | undefined {
  if (body === undefined) return undefined;
  return body instanceof TextBody ? body.text : stringifyJson(body);
}

function requestHeaders(call: Call, outgoing: Record<string, string> | undefined): Record<string, string> {
  const headers: Record<string, string> = { accept: "*/*", ...outgoing };
  if (call.body !== undefined && !(call.body instanceof TextBody)) headers["content-type"] = "application/json";
  if (call.headers) for (const [name, value] of Object.entries(call.headers)) headers[name.toLowerCase()] = value;
  const cookie = call.jar?.header();
  if (cookie !== undefined) headers.cookie = cookie;
  return headers;
}
