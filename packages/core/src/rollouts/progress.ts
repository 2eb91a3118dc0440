/** Counts outcomes as they come and tells about them: a progress event now and then, and each kind of failure once. */

import type { Flights } from "./dispatch.ts";
import type { Emit } from "./events.ts";
import { failureHint } from "./failure-row.ts";
import { OLDEST_NAMED, PROGRESS_INTERVAL_MS, PROGRESS_TICK_MS } from "./limits.ts";
import type { Outcome } from "./outcome.ts";
import { keyOf, type RolloutKey, type Row } from "./row.ts";

export interface ProgressCounts {
  done: number;
  scored: number;
  failed: number;
  masked: number;
  drained: number;
  unresolved: number;
}

export interface Progress {
  take(outcome: Outcome, row: Row): void;
  watch(flights: Flights): void;
  /** The last event. */
  finish(): void;
  readonly counts: ProgressCounts;
}

export function createProgress(options: { total: number; emit: Emit; now: () => number }): Progress {
  const { total, emit, now } = options;
  const counts: ProgressCounts = { done: 0, scored: 0, failed: 0, masked: 0, drained: 0, unresolved: 0 };
  const told = new Set<string>();
  const began = now();
  let flights: Flights | undefined;
  let rewards = 0;
  let last = Number.NEGATIVE_INFINITY;
  let ticker: NodeJS.Timeout | undefined;

  function report(): void {
    last = now();
    const elapsedS = (last - began) / 1000;
    const rate = counts.done > 0 && elapsedS > 0 ? counts.done / elapsedS : undefined;
    const oldest = (flights?.oldest(OLDEST_NAMED) ?? []).map(({ start, rollout, server }) => ({
      rollout,
      server,
      ageS: (last - start) / 1000,
    }));
    emit({
      type: "progress",
      done: counts.done,
      total,
      scored: counts.scored,
      failed: counts.failed,
      masked: counts.masked,
      inFlight: flights?.count ?? 0,
      oldestInFlightS: oldest[0]?.ageS ?? 0,
      ...(oldest.length === 0 ? {} : { oldest }),
      rate,
      etaS: rate === undefined ? undefined : (total - counts.done) / rate,
      elapsedS,
      meanReward: counts.scored === 0 ? undefined : rewards / counts.scored,
    });
  }

  function count(outcome: Outcome): void {
    if (outcome.kind === "unresolved") {
      counts.unresolved++;
      if (outcome.reason === "drained") counts.drained++;
      return;
    }
    counts.done++;
    if (outcome.kind === "failed") counts.failed++;
    else if (outcome.masked) counts.masked++;
    else if (outcome.reward !== undefined) {
      counts.scored++;
      rewards += outcome.reward;
    }
  }

  return {
    counts,
    take(outcome, row) {
      count(outcome);
      if (outcome.kind === "failed") tellOnce(outcome, row, { told, emit });
      if (now() - last >= PROGRESS_INTERVAL_MS) report();
    },
    watch(value) {
      flights = value;
      // The last rollouts of a run may take long: that nothing ends is worth telling too.
      ticker = setInterval(() => {
        if (value.count > 0 && now() - last >= PROGRESS_TICK_MS) report();
      }, PROGRESS_TICK_MS).unref();
    },
    finish() {
      clearInterval(ticker);
      report();
    },
  };
}

function tellOnce(outcome: Outcome & { kind: "failed" }, row: Row, to: { told: Set<string>; emit: Emit }): void {
  const kind = typeof outcome.row.failure_kind === "string" ? outcome.row.failure_kind : undefined;
  const id = `${outcome.failureClass}\n${kind}`;
  if (to.told.has(id)) return;
  to.told.add(id);
  const { _ng_failure_boundary: boundary } = outcome.row;
  const message =
    outcome.cause?.message ?? outcome.row._ng_failure_message ?? outcome.row.failure_reason ?? outcome.row._ng_failure_judge_error;
  to.emit({
    type: "failure",
    failureClass: outcome.failureClass,
    failureKind: kind,
    boundary: outcome.cause?.boundary ?? (typeof boundary === "string" ? boundary : undefined),
    message: typeof message === "string" ? message : `the server set the class '${outcome.failureClass}'`,
    hint: failureHint(kind, outcome.innerStatus ?? outcome.cause?.innerStatus),
    key: keyOf(row) as RolloutKey,
  });
}
