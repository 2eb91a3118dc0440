/** The layer that repeats calls: wraps one try in the budgets of the retry table, with one deadline, and reports each pause. */
import { setTimeout } from "node:timers/promises";
import { GymError } from "../errors/index.ts";
import { classifyTransportError, FAILURE_CODE, FAILURE_KIND, type TransportFailure } from "./classify.ts";
import { type FailureFacts, hopError } from "./failure.ts";
import { isSpentQuota } from "./key-refusal.ts";
import { timerMs } from "./limits.ts";
import type { Reply } from "./message.ts";
import { backoffMs, type RetryBudget, type RetryPolicy, retryAfterMs, statusBudget } from "./retry-policy.ts";

/** Time as the retry layer sees it; tests bring their own. */
export interface RetryClock {
  now(): number;
  /** @throws when `signal` fires first. */
  pause(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** A number in [0, 1). */
  random(): number;
}

export const SYSTEM_CLOCK: RetryClock = {
  now: Date.now,
  pause: (delayMs, signal) => setTimeout(timerMs(delayMs), undefined, { signal }),
  random: Math.random,
};

export interface RetryNotice {
  server: string;
  url: string;
  reason: string;
  /** The status of the answer, where there was one. */
  status?: number;
  /** The beginning of its text. */
  said?: string;
  /** The longest that such calls are sent again, from the first failure on; undefined: without end. */
  giveUpAfterMs?: number;
  attempt: number;
  delayMs: number;
}

export interface RetryOptions {
  policy: RetryPolicy;
  server: string;
  url: string;
  /** May the call be sent again after its body was delivered? */
  replay: boolean;
  /** Are statuses retried too (endpoints outside)? */
  statuses: boolean;
  signal?: AbortSignal;
  /** Named in the error of a try that took too long. */
  timeoutName: string;
  onRetry?: (notice: RetryNotice) => void;
  clock: RetryClock;
  /** Milliseconds that the tries so far waited for their turn: no part of any budget. */
  waitedMs?: () => number;
}

/** What a notice holds of an answer's text. */
const SAID_LIMIT_CHARS = 1_000;

/** These happen before anything was written, so that a call may always be sent again. */
const UNDELIVERED = new Set<TransportFailure>(["unreachable", "local_resource"]);

/**
 * Calls `attempt` (with true from the second time on) until it gives a reply that is final or a budget is spent.
 * @throws GymError NG_ERR_UNREACHABLE, NG_ERR_PEER_DROP, NG_ERR_TIMEOUT, NG_ERR_LOCAL_RESOURCE with the facts of the hop; NG_ERR_CANCELLED.
 */
export async function withRetries(attempt: (again: boolean) => Promise<Reply>, options: RetryOptions): Promise<Reply> {
  const { policy, waitedMs } = options;
  const { now, pause, random } = options.clock;
  const failures = new Map<RetryBudget, { count: number; since: number }>();
  let tries = 0;
  /** Tries that ended for want of a descriptor, a port or memory: no request was made. */
  let unmade = 0;

  /** Time as budgets count it. */
  const elapsed = (): number => now() - (waitedMs?.() ?? 0);

  /** Milliseconds to wait before the next try, undefined when the budget of this failure is spent. */
  function nextDelay(budget: RetryBudget, retryAfter?: number): number | undefined {
    const seen = failures.get(budget) ?? { count: 0, since: elapsed() };
    seen.count++;
    failures.set(budget, seen);
    if (seen.count >= budget.attempts) return undefined;
    if (policy.maxAttempts !== undefined && tries - unmade >= Math.max(1, policy.maxAttempts)) return undefined;
    const delay = Math.max(Math.min(retryAfter ?? 0, policy.maxRetryAfterMs), backoffMs(policy, seen.count, random));
    return elapsed() + delay - seen.since <= budget.withinMs ? delay : undefined;
  }

  async function wait(delayMs: number, reason: string, { withinMs, reply }: { withinMs: number; reply?: Reply }): Promise<void> {
    const answer = reply === undefined ? {} : { status: reply.status, said: reply.text().slice(0, SAID_LIMIT_CHARS) };
    const bound = Number.isFinite(withinMs) ? { giveUpAfterMs: withinMs } : {};
    options.onRetry?.({ server: options.server, url: options.url, reason, attempt: tries, delayMs, ...answer, ...bound });
    try {
      await pause(delayMs, options.signal);
    } catch (cause) {
      throw cancelled(options, cause);
    }
  }

  for (;;) {
    tries++;
    try {
      const reply = await attempt(tries > 1);
      if (reply.status < 400) return reply;
      const asked = retryAfterMs(reply.headers["retry-after"], now());
      const budget = budgetOf(reply.status, asked !== undefined, options);
      const delay = budget && !isSpentQuota(reply) ? nextDelay(budget, asked) : undefined;
      if (budget === undefined || delay === undefined) {
        if (tries > 1) reply.headers["x-ng-attempts"] = String(tries);
        return reply;
      }
      await wait(delay, `status ${reply.status}`, { withinMs: budget.withinMs, reply });
    } catch (error) {
      if (options.signal?.aborted) throw cancelled(options, error);
      const kind = error instanceof GymError ? undefined : classifyTransportError(error);
      if (kind === undefined) throw error;
      if (kind === "local_resource") unmade++;
      const again = options.replay || UNDELIVERED.has(kind) ? nextDelay(policy.transport[kind]) : undefined;
      if (again === undefined) throw exhausted(kind, error, options, tries);
      await wait(again, kind, { withinMs: policy.transport[kind].withinMs });
    }
  }
}

/** A status is repeated where the caller asked for it; 429 says that nothing was done, so even a call that must not run twice goes again. */
function budgetOf(status: number, waitIsNamed: boolean, { policy, statuses, replay }: RetryOptions): RetryBudget | undefined {
  if (status === 429) return statuses || waitIsNamed ? policy.busyStatus : undefined;
  return statuses && replay ? statusBudget(policy, status) : undefined;
}

function cancelled(options: RetryOptions, cause: unknown): GymError {
  const facts: FailureFacts = { failure_kind: "cancelled", boundary: options.server, url: options.url };
  return hopError("NG_ERR_CANCELLED", `the call to ${options.server} was cancelled`, { facts, cause });
}

const WHY: Record<TransportFailure, string> = {
  unreachable: "cannot be reached",
  peer_drop: "closed the connection before its answer was complete",
  timeout: "did not answer in time",
  local_resource: "cannot be called: this machine is out of descriptors, ports or memory",
};

const WHAT_TO_DO: Record<TransportFailure, string> = {
  unreachable: "Is it running, or being restarted, and are host and port right?",
  peer_drop: "Look at the log of that server: it crashed, restarted, or closes idle connections too early.",
  timeout: "Raise the limit named in the message if the work may take that long.",
  local_resource: "Raise `ulimit -n`, or lower the concurrency.",
};

function exhausted(kind: TransportFailure, cause: unknown, options: RetryOptions, attempts: number): GymError {
  const reason = cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : String(cause);
  const facts: FailureFacts = { failure_kind: FAILURE_KIND[kind], boundary: options.server, url: options.url, attempts };
  const limit = kind === "timeout" ? ` (${options.timeoutName})` : "";
  const message = `${options.server} at ${options.url} ${WHY[kind]}${limit} after ${attempts} ${attempts === 1 ? "try" : "tries"}: ${reason}`;
  return hopError(FAILURE_CODE[kind], message, { facts, cause, hint: WHAT_TO_DO[kind] });
}
