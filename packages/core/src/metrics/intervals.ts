/** Intervals for means: t over repeats, t over tasks (rollouts of one task are not independent), Welch for a difference. */
import { mean, sampleStd } from "./describe.ts";
import { studentTQuantile } from "./student-t.ts";

export interface Interval {
  low: number;
  high: number;
}

/** 97.5 % point: two-sided 95 %. */
const TWO_SIDED_95 = 0.975;

/** mean ± t(0.975, n - 1) · sem; both ends are the mean where sem is 0. */
export function tInterval95(centre: number, sem: number, n: number): Interval {
  if (sem === 0) return { low: centre, high: centre };
  const half = studentTQuantile(TWO_SIDED_95, n - 1) * sem;
  return { low: centre - half, high: centre + half };
}

/** The mean with its 95 % interval, or the reason why there is none. `mean` is the mean of task means: each task counts once. */
export type ClusteredMean =
  | { known: true; mean: number; low: number; high: number; tasks: number; rollouts: number }
  | { known: false; reason: "no_tasks" | "one_task" | "not_finite"; mean: number | undefined; tasks: number; rollouts: number };

/**
 * 95 % t interval of the mean with the task as unit: the rollouts of one task share its difficulty, so only tasks are independent.
 * `tasks` holds the finite values of each task; tasks without a value are not counted.
 */
export function clusteredMean95(tasks: Iterable<ArrayLike<number>>): ClusteredMean {
  const means: number[] = [];
  let rollouts = 0;
  for (const values of tasks) {
    if (values.length === 0) continue;
    means.push(mean(values));
    rollouts += values.length;
  }
  const counts = { tasks: means.length, rollouts };
  if (means.length === 0) return { known: false, reason: "no_tasks", mean: undefined, ...counts };
  const centre = mean(means);
  const std = sampleStd(means);
  if (std === undefined) return { known: false, reason: "one_task", mean: centre, ...counts };
  const interval = tInterval95(centre, std / Math.sqrt(means.length), means.length);
  if (!Number.isFinite(interval.low) || !Number.isFinite(interval.high)) {
    return { known: false, reason: "not_finite", mean: Number.isFinite(centre) ? centre : undefined, ...counts };
  }
  return { known: true, mean: centre, ...interval, ...counts };
}

/**
 * Two-sided 95 % Welch interval of mean(b) - mean(a), unpaired, degrees of freedom by Welch and Satterthwaite.
 * Undefined with fewer than two values on a side; both ends are the difference where neither side varies.
 */
export function welchInterval95(a: ArrayLike<number>, b: ArrayLike<number>): Interval | undefined {
  const stdA = sampleStd(a);
  const stdB = sampleStd(b);
  if (stdA === undefined || stdB === undefined) return undefined;
  const delta = mean(b) - mean(a);
  const varA = stdA ** 2 / a.length;
  const varB = stdB ** 2 / b.length;
  if (varA + varB === 0) return { low: delta, high: delta };
  // As shares of the sum, so that squares of tiny variances do not vanish.
  const shareA = varA / (varA + varB);
  const df = 1 / (shareA ** 2 / (a.length - 1) + (1 - shareA) ** 2 / (b.length - 1));
  const half = studentTQuantile(TWO_SIDED_95, df) * Math.sqrt(varA + varB);
  return { low: delta - half, high: delta + half };
}
