/** Durations counted in fixed classes: a few integers a series, whatever the number of calls. */

/** Upper bounds in seconds; what is longer counts as longer than the last. From a function call to a model that thinks for an hour. */
export const LATENCY_BOUNDS_S = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600,
] as const;

const BOUNDS_MS = LATENCY_BOUNDS_S.map((bound) => bound * 1_000);

export interface Latencies {
  /** By bound, the longest last. */
  readonly counts: number[];
  sumMs: number;
  count: number;
}

export function createLatencies(): Latencies {
  return { counts: new Array<number>(BOUNDS_MS.length + 1).fill(0), sumMs: 0, count: 0 };
}

export function addLatency(to: Latencies, ms: number): void {
  let at = 0;
  while (at < BOUNDS_MS.length && ms > (BOUNDS_MS[at] as number)) at++;
  (to.counts[at] as number)++;
  to.sumMs += ms;
  to.count++;
}
