/** How long rollouts take, and the dispatch budget that follows from it: near its end no further row is started. */
import { quantileOfSorted } from "../metrics/index.ts";
import { DRAIN_MARGIN_SAMPLES } from "./limits.ts";

export interface Latencies {
  /** Seconds; what is not positive is left out. */
  add(seconds: number): void;
  readonly count: number;
  /** The longest so far, 0 without values. */
  readonly longest: number;
  /** Linear between neighbours; undefined without values. */
  quantile(q: number): number | undefined;
}

export function createLatencies(): Latencies {
  let values = new Float64Array(1024);
  let count = 0;
  let sortedCount = 0;
  let longest = 0;
  return {
    add(seconds) {
      if (!(seconds > 0)) return;
      if (count === values.length) {
        const larger = new Float64Array(2 * values.length);
        larger.set(values);
        values = larger;
      }
      values[count++] = seconds;
      longest = Math.max(longest, seconds);
    },
    get count() {
      return count;
    },
    get longest() {
      return longest;
    },
    quantile(q) {
      if (count === 0) return undefined;
      if (sortedCount !== count) {
        values.subarray(0, count).sort();
        sortedCount = count;
      }
      return quantileOfSorted(values.subarray(0, count), q);
    },
  };
}

export interface Budget {
  /** Seconds that rows may still be started in. */
  budgetS: number;
  /** Fixed margin; absent: the third quartile of finished rollouts, once there are enough. */
  marginS: number | null;
}

export function drainMargin(budget: Pick<Budget, "marginS">, latencies: Latencies): number | undefined {
  if (budget.marginS !== null) return budget.marginS;
  return latencies.count >= DRAIN_MARGIN_SAMPLES ? latencies.quantile(0.75) : undefined;
}

/** Whether a row that could start now should not. */
export function isDrained(budget: Budget, elapsedS: number, latencies: Latencies): boolean {
  const remaining = budget.budgetS - elapsedS;
  if (remaining <= 0) return true;
  // The quartile takes a sort: not for every row while the end is further away than any rollout took.
  if (budget.marginS === null && remaining > latencies.longest) return false;
  return remaining < (drainMargin(budget, latencies) ?? 0);
}
