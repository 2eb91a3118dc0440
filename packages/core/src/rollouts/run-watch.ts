/**
 * Tells a failed rollout from a run that is over. Where calls break because the servers were stopped, no row may pay for it with an attempt: what was in
 * flight ends as unresolved, and the collection says why it ends. Whoever collects says how the run is asked; failures that look like it ask, together
 * and at a bounded rate.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { GymError } from "../errors/index.ts";
import { RUN_LOOK_MS } from "./limits.ts";
import type { Outcome } from "./outcome.ts";

/** Why the run is over, or undefined while it goes on or nobody can tell. */
export type AskRun = (signal: AbortSignal) => Promise<string | undefined>;

export type RunWatch = (outcome: Outcome & { kind: "failed" }, server: string) => Promise<GymError | undefined>;

/** What calls look like whose other side goes away. */
const SUSPECT = new Set(["transport_unreachable", "transport_peer_drop", "cancelled"]);

export function createRunWatch(ask: AskRun, options: { signal: AbortSignal; now: () => number }): RunWatch {
  const { signal, now } = options;
  let looking: Promise<string | undefined> | undefined;
  let over: GymError | undefined;
  let quick: Promise<string | undefined> | undefined;
  let quickUntil = Number.NEGATIVE_INFINITY;

  /** Twice: a server that died is missed by its launcher a moment later, and one lost answer is no proof. */
  async function look(): Promise<string | undefined> {
    await ask(signal);
    await sleep(RUN_LOOK_MS, undefined, { signal }).catch(() => undefined);
    return ask(signal);
  }

  /** One question for all that come within a short time: failures at an endpoint may be many. */
  function glance(): Promise<string | undefined> {
    if (quick === undefined || now() > quickUntil) {
      quickUntil = now() + RUN_LOOK_MS;
      quick = ask(signal);
    }
    return quick;
  }

  return async (outcome, server) => {
    const { failure_kind: kind, _ng_failure_boundary: boundary } = outcome.row;
    if (typeof kind !== "string" || !SUSPECT.has(kind)) return undefined;
    if (over !== undefined) return over;
    // Further hops may mean an endpoint outside: the run is asked, but nobody waits.
    if (boundary !== server && (await glance()) === undefined) return undefined;
    looking ??= look().finally(() => {
      looking = undefined;
    });
    const why = await looking;
    if (why === undefined || signal.aborted) return undefined;
    over ??= new GymError("NG_ERR_SERVER_DIED", `the servers are gone: ${why}`, {
      hint: "Rollouts that were under way are unresolved and cost no attempt. Start the servers with `ng-run`, then run the same command with resume_from_cache=true (--resume).",
    });
    return over;
  };
}
