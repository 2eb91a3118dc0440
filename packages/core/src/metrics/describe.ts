/** Statistics of one list of numbers: compensated sums, two passes, safe against overflow. */

export interface Description {
  /** Number of values. */
  n: number;
  mean: number;
  median: number;
  /** Sample standard deviation (divides by n - 1); undefined for one value. */
  std: number | undefined;
  min: number;
  max: number;
  /** Quartiles by linear interpolation. */
  p25: number;
  p75: number;
}

/** Squares of values past this would come near the largest double. */
const SQUARES_SAFE_BELOW = 1e150;
const OVERFLOW_SCALE = 2 ** -600;

/** Sum with Neumaier's compensation: good to about one rounding step whatever the order. */
export function sum(values: ArrayLike<number>): number {
  let total = 0;
  let compensation = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    const next = total + value;
    compensation += Math.abs(total) >= Math.abs(value) ? total - next + value : value - next + total;
    total = next;
  }
  return total + compensation;
}

/** Mean of at least one finite number. */
export function mean(values: ArrayLike<number>): number {
  return meanOfScaled(values, scaleOf(values));
}

/** Sample standard deviation (n - 1); undefined for fewer than two values. */
export function sampleStd(values: ArrayLike<number>): number | undefined {
  return values.length < 2 ? undefined : deviation(values, values.length - 1);
}

/** Population standard deviation (n); 0 for one value. */
export function populationStd(values: ArrayLike<number>): number {
  return deviation(values, values.length);
}

/** Quantile of ascending numbers by linear interpolation between the two nearest. */
export function quantileOfSorted(sorted: ArrayLike<number>, fraction: number): number {
  const position = (sorted.length - 1) * fraction;
  const index = Math.floor(position);
  const low = sorted[index] as number;
  const high = sorted[Math.min(index + 1, sorted.length - 1)] as number;
  const weight = position - index;
  if (weight === 0 || low === high) return low;
  // Halving first keeps the difference of two huge values of opposite sign finite.
  return low + (high / 2 - low / 2) * weight * 2;
}

export function sortedNumbers(values: ArrayLike<number>): Float64Array {
  return Float64Array.from(values).sort();
}

/** All statistics of at least one finite number. */
export function describeNumbers(values: ArrayLike<number>): Description {
  const sorted = sortedNumbers(values);
  return {
    n: sorted.length,
    mean: mean(values),
    median: quantileOfSorted(sorted, 0.5),
    std: sampleStd(values),
    min: sorted[0] as number,
    max: sorted[sorted.length - 1] as number,
    p25: quantileOfSorted(sorted, 0.25),
    p75: quantileOfSorted(sorted, 0.75),
  };
}

function scaleOf(values: ArrayLike<number>): number {
  let largest = 0;
  for (let i = 0; i < values.length; i++) largest = Math.max(largest, Math.abs(values[i] as number));
  return largest < SQUARES_SAFE_BELOW ? 1 : OVERFLOW_SCALE;
}

function meanOfScaled(values: ArrayLike<number>, scale: number): number {
  if (scale === 1) return sum(values) / values.length;
  return sum(Float64Array.from(values, (value) => value * scale)) / values.length / scale;
}

function deviation(values: ArrayLike<number>, divisor: number): number {
  const scale = scaleOf(values);
  const centre = meanOfScaled(values, scale) * scale;
  const squares = Float64Array.from(values, (value) => (value * scale - centre) ** 2);
  return Math.sqrt(sum(squares) / divisor) / scale;
}
