/**
 * What the client keeps about each target, by name: its counters, the limit of its calls at once, and its circuit. Made with the first call, kept as
 * long as the client: targets are the servers of a configuration and their endpoints.
 */
import { type Circuit, type CircuitRule, createCircuit } from "./circuit.ts";
import { adaptiveLimit, type ConcurrencyLimit, fixedLimit } from "./concurrency-limit.ts";
import type { ClientLimits } from "./limits.ts";
import type { RetryClock } from "./retry.ts";
import type { RetryPolicy } from "./retry-policy.ts";
import type { TargetLoad } from "./target-load.ts";

/** An endpoint outside. What it says beside its address holds from the first call on. */
export interface OutsideTarget {
  /** Labels it in messages, failure facts and counters. */
  name: string;
  /** The name of its counters, where a server stands in front of it and has that name already. Default: `name`. */
  shownAs?: string;
  url: string;
  /** Calls at once, in this process; `adaptive`: as many as it bears. Others wait in order. Default: no limit of its own. */
  concurrency?: Concurrency;
  /** Default: none. */
  circuit?: CircuitRule;
}

export type Concurrency = number | "adaptive";

/** Counts; guards where the target has them. */
export interface TargetState {
  readonly name: string;
  /** The name of its counters. */
  readonly shownAs: string;
  calls: number;
  inFlight: number;
  /** For a connection; the limit counts those that wait for it. */
  waiting: number;
  /** Between two tries. */
  pausing: number;
  retries: number;
  lastRefusal?: number | undefined;
  errors: number;
  readonly limit?: ConcurrencyLimit;
  readonly circuit?: Circuit;
}

export interface Targets {
  /** `outside`: where the target is not a server of the configuration. */
  of(name: string, outside?: OutsideTarget): TargetState;
  loads(): Record<string, TargetLoad>;
  close(): void;
}

export function createTargets({ limits, policy, clock }: { limits: ClientLimits; policy: RetryPolicy; clock: RetryClock }): Targets {
  const states = new Map<string, TargetState>();

  function limitOf({ name, url, concurrency }: OutsideTarget): ConcurrencyLimit | undefined {
    if (concurrency === undefined) return undefined;
    const { maxQueuedCalls } = limits;
    const { maxRetryAfterMs, busyStatus } = policy;
    const options = { name, url, clock, maxQueuedCalls, maxRetryAfterMs, giveUpAfterMs: busyStatus.withinMs };
    return concurrency === "adaptive" ? adaptiveLimit(limits.maxAdaptiveCalls, options) : fixedLimit(concurrency, options);
  }

  function create(name: string, outside: OutsideTarget | undefined): TargetState {
    const counts = { name, shownAs: outside?.shownAs ?? name, calls: 0, inFlight: 0, waiting: 0, pausing: 0, retries: 0, errors: 0 };
    if (outside === undefined) return counts;
    const circuit = outside.circuit && createCircuit({ name, now: clock.now, ...outside.circuit });
    return { ...counts, limit: limitOf(outside), circuit };
  }

  return {
    of(name, outside) {
      // A server and the endpoint behind it may have one name; they share neither counters nor limits.
      const key = outside === undefined ? name : `outside ${name}`;
      let state = states.get(key);
      if (state === undefined) {
        state = create(name, outside);
        states.set(key, state);
      }
      return state;
    },
    loads: () => Object.fromEntries([...states.values()].map((state) => [state.shownAs, loadOf(state)])),
    close() {
      for (const { limit } of states.values()) limit?.close();
    },
  };
}

function loadOf({ calls, inFlight, waiting, pausing, retries, lastRefusal, errors, limit, circuit }: TargetState): TargetLoad {
  return {
    calls,
    inFlight,
    waiting: waiting + (limit?.waiting() ?? 0),
    pausing,
    retries,
    ...(lastRefusal === undefined ? {} : { lastRefusal }),
    errors,
    ...(limit === undefined ? {} : { limit: limit.load() }),
    ...(circuit === undefined ? {} : { circuit: circuit.load() }),
  };
}
