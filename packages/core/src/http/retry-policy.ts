/**
 * The retry table: for each kind of failure how often and how long a call is repeated. One layer repeats calls, this one; a server that calls
 * another never repeats what the layer below it gave up. Statuses are retried only towards endpoints outside (an inner server has done so itself),
 * except for 429 with Retry-After, which is how a full server of ours says "not now".
 */
import { HTTP_RETRY_KEYS } from "../config/index.ts";
import type { TransportFailure } from "./classify.ts";
import { numberOf } from "./limits.ts";

export interface RetryBudget {
  /** Tries in all, the first included. */
  attempts: number;
  /** From the first failure of this kind, in milliseconds. */
  withinMs: number;
}

export interface RetryPolicy {
  transport: Record<TransportFailure, RetryBudget>;
  /** 429, 502, 503, 504, 520, 529. */
  busyStatus: RetryBudget;
  /** 500, 408. */
  serverStatus: RetryBudget;
  /** Further statuses that are retried like 500. */
  retryStatuses: readonly number[];
  /** Caps all tries of a call, whatever their kind; undefined = the budgets alone. 0 and 1 = exactly one request. */
  maxAttempts?: number | undefined;
  /** First pause; doubles each time, full jitter. */
  baseDelayMs: number;
  maxDelayMs: number;
  /** A Retry-After longer than this is cut to it. */
  maxRetryAfterMs: number;
}

type RetryName = keyof typeof HTTP_RETRY_KEYS extends `http_retry_${infer Name}` ? Name : never;

/** The policy from what a configuration says; `get` gives the value of a top-level key, which was checked when it was loaded. */
export function retryPolicy(get: (key: string) => unknown): RetryPolicy {
  const optional = (name: RetryName): number | undefined => {
    const key = `http_retry_${name}` as const;
    return numberOf(get(key)) ?? HTTP_RETRY_KEYS[key].default ?? undefined;
  };
  const value = (name: RetryName): number => optional(name) ?? Number.POSITIVE_INFINITY;
  const unlimited = Number.POSITIVE_INFINITY;
  return {
    transport: {
      unreachable: { attempts: value("unreachable_attempts"), withinMs: value("unreachable_within_ms") },
      peer_drop: { attempts: value("peer_drop_attempts"), withinMs: value("peer_drop_within_ms") },
      timeout: { attempts: 1, withinMs: 0 },
      local_resource: { attempts: unlimited, withinMs: value("local_resource_within_ms") },
    },
    busyStatus: { attempts: unlimited, withinMs: value("busy_within_ms") },
    serverStatus: { attempts: value("server_error_attempts"), withinMs: value("server_error_within_ms") },
    retryStatuses: [],
    maxAttempts: optional("max_attempts"),
    baseDelayMs: value("base_delay_ms"),
    maxDelayMs: value("max_delay_ms"),
    maxRetryAfterMs: value("max_retry_after_ms"),
  };
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = retryPolicy(() => undefined);

const BUSY = new Set([429, 502, 503, 504, 520, 529]);
const SERVER = new Set([408, 500]);

/** The budget under which this status is retried, undefined where it is final. */
export function statusBudget(policy: RetryPolicy, status: number): RetryBudget | undefined {
  if (BUSY.has(status)) return policy.busyStatus;
  if (SERVER.has(status) || policy.retryStatuses.includes(status)) return policy.serverStatus;
  return undefined;
}

/** Milliseconds that a `Retry-After` header asks for (seconds or an HTTP date), undefined where it says nothing. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Full jitter: anywhere between 0 and the exponential bound of this retry (1 = the first). */
export function backoffMs(policy: RetryPolicy, retry: number, random: () => number): number {
  return random() * Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (retry - 1));
}
