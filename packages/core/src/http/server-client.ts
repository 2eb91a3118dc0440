/** The only way to call anything: servers of the configuration by name, endpoints outside by URL. Picks the transport and puts the layers together. */
import { setMaxListeners } from "node:events";
import { isGymError } from "../errors/index.ts";
import { replays } from "./call-kind.ts";
import { createCopyChoice } from "./copies.ts";
import { withoutEchoes } from "./echo.ts";
import { guardedTries } from "./guarded.ts";
import { CLIENT_LIMITS, type ClientLimits } from "./limits.ts";
import { callLocal } from "./local-transport.ts";
import type { Call, CallKind, Endpoint, Reply, ServerAddress } from "./message.ts";
import { followRedirects } from "./redirect.ts";
import { bodyContent, requestOf } from "./request.ts";
import { type RetryClock, type RetryNotice, SYSTEM_CLOCK, withRetries } from "./retry.ts";
import { DEFAULT_RETRY_POLICY, type RetryPolicy } from "./retry-policy.ts";
import { createSocketTransport } from "./socket-transport.ts";
import { cleanPath, splitUrl, type Target, targetOf } from "./target.ts";
import type { TargetLoad } from "./target-load.ts";
import { createTargets, type OutsideTarget, type TargetState } from "./targets.ts";

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
  /** Headers that go with every call, asked for at each: what correlates it with the call that caused it. They win over a call's own, which may be handed on. */
  outgoing?: (outside: boolean) => Record<string, string>;
  /** Runs the whole call, tries and pauses included: who records spans sets the context in which `outgoing` is asked. */
  around?: <T>(call: { target: string; kind: CallKind; path: string }, send: () => Promise<T>) => Promise<T>;
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
  /** A server of our kind behind that URL: each status is its answer, and none is retried. */
  inner?: boolean;
}

export interface ServerClient extends AsyncDisposable {
  /** Calls a server of the configuration. @throws GymError when no reply can be had. */
  call(server: string, call: Call): Promise<Reply>;
  /** Calls an endpoint outside. @throws GymError when no reply can be had, NG_ERR_UPSTREAM_STATUS while its circuit is open. */
  fetch(target: OutsideTarget, call: OutsideCall): Promise<Reply>;
  /** Where a server of the configuration is reached from outside. @throws GymError NG_ERR_SERVER_NOT_FOUND */
  addressOf(server: string): ServerAddress;
  /** By target name. */
  stats(): Record<string, TargetLoad>;
}

export function createServerClient(options: ServerClientOptions): ServerClient {
  const { clock = SYSTEM_CLOCK, outgoing } = options;
  const limits = { ...CLIENT_LIMITS, ...options.limits };
  const policy = { ...DEFAULT_RETRY_POLICY, ...options.policy };
  const targets = createTargets({ limits, policy, clock });
  const sockets = createSocketTransport(limits);
  const choice = createCopyChoice();

  function overSocket(state: TargetState, target: Target, { call, h2c, outside, copies }: SocketCall): Promise<Reply> {
    const { name: server } = state;
    const url = target.origin + target.path;
    const parts = requestOf({ server, target, call, limits, outgoing: outgoing?.(outside) });
    const request = { ...parts, body: bodyContent(parts.body) };
    const tries = guardedTries(state, {
      url,
      signal: call.signal,
      send: async (onConnection) => {
        const reply =
          copies === undefined
            ? await sockets.send(request, { h2c, onConnection })
            : await choice.use({ server, copies, jar: call.jar }, (copy) =>
                sockets.send({ ...request, ...targetOf(copy, call.path) }, { h2c, onConnection }),
              );
        return outside ? withoutEchoes(reply, call, server) : reply;
      },
    });
    return withRetries(tries.attempt, {
      policy: policyOf(policy, call),
      server,
      url,
      replay: replays(call),
      statuses: outside,
      signal: call.signal,
      timeoutName: request.timeoutName,
      clock: countingPauses(state, clock),
      waitedMs: tries.waitedMs,
      onRetry: (notice) => {
        state.retries++;
        state.lastRefusal = notice.status ?? state.lastRefusal;
        options.onRetry?.(notice);
      },
    });
  }

  function inProcess(server: string, endpoint: Endpoint, call: Call): Promise<Reply> {
    const target = { origin: LOCAL_ORIGIN, path: cleanPath(call.path) };
    const parts = requestOf({ server, target, call, limits, outgoing: outgoing?.(false) });
    return followRedirects(
      { ...parts, freeze: options.freezeLocal === true },
      {
        maxRedirects: limits.maxRedirects,
        send: (request) =>
          request.origin === LOCAL_ORIGIN ? callLocal(endpoint, request) : sockets.send({ ...request, body: bodyContent(request.body) }),
      },
    );
  }

  /** No frame of its own waits for the reply: tens of thousands may. */
  function counted(state: TargetState, call: Call, send: () => Promise<Reply>): Promise<Reply> {
    const { shownAs: target } = state;
    const began = options.onCall === undefined ? 0 : performance.now();
    state.calls++;
    state.inFlight++;
    if (call.signal) setMaxListeners(0, call.signal);
    const end = (status?: number): void => {
      state.inFlight--;
      options.onCall?.({ target, kind: call.kind, path: call.path, status, durationMs: performance.now() - began });
    };
    const { around } = options;
    return begun(around === undefined ? send : () => around({ target, kind: call.kind, path: call.path }, send)).then(
      (reply) => {
        call.jar?.take(reply.setCookies);
        end(reply.status);
        return reply;
      },
      (error) => {
        // Who asked has left: no fault of what was called.
        if (!isGymError(error, "NG_ERR_CANCELLED")) state.errors++;
        end();
        throw error;
      },
    );
  }

  return {
    call(server, call) {
      const state = targets.of(server);
      return counted(state, call, () => {
        const endpoint = options.local?.get(server);
        if (endpoint !== undefined) return inProcess(server, endpoint, call);
        const { url, h2c, copies } = options.addressOf(server);
        return overSocket(state, targetOf(url, call.path), { call, h2c: h2c === true, outside: false, copies });
      });
    },
    fetch(target, call) {
      const state = targets.of(target.name, call.inner === true ? undefined : target);
      return counted(state, call, () => overSocket(state, splitUrl(target.url), { call, h2c: false, outside: call.inner !== true }));
    },
    addressOf: options.addressOf,
    stats: () => targets.loads(),
    [Symbol.asyncDispose]: async () => {
      targets.close();
      await sockets.close();
    },
  };
}

/** What a call throws before anything is sent (no such server, a path that is none) rejects like all that comes later. */
function begun(send: () => Promise<Reply>): Promise<Reply> {
  try {
    return send();
  } catch (error) {
    return Promise.reject(error);
  }
}

interface SocketCall {
  call: OutsideCall;
  h2c: boolean;
  /** An endpoint that is not ours: its statuses are retried, and it must not repeat what it was sent. */
  outside: boolean;
  /** Addresses of a server that runs in several processes. */
  copies?: readonly string[] | undefined;
}

function policyOf(policy: RetryPolicy, { maxAttempts, retryStatuses }: OutsideCall): RetryPolicy {
  if (maxAttempts === undefined && retryStatuses === undefined) return policy;
  return { ...policy, maxAttempts: maxAttempts ?? policy.maxAttempts, retryStatuses: retryStatuses ?? policy.retryStatuses };
}

function countingPauses(state: TargetState, { now, random, pause }: RetryClock): RetryClock {
  return {
    now,
    random,
    async pause(delayMs, signal) {
      state.pausing++;
      try {
        await pause(delayMs, signal);
      } finally {
        state.pausing--;
      }
    },
  };
}
