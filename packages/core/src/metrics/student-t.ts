/**
 * Quantile of Student's t distribution.
 *
 * Up to `EXPANSION_FROM` degrees of freedom the distribution function (regularised incomplete beta, continued fraction) is inverted by Newton
 * steps; past it the Cornish-Fisher expansion in 1/df (Abramowitz and Stegun 26.7.5) is exact to double precision for usual levels.
 */
import { normalQuantile } from "./normal-quantile.ts";

const EXPANSION_FROM = 1000;
const MAX_NEWTON_STEPS = 60;
const MAX_FRACTION_TERMS = 10_000;

/** t with P(T <= t) = p for `df` > 0 degrees of freedom (fractions allowed) and 0 < p < 1; relative error below 1e-9. */
export function studentTQuantile(p: number, df: number): number {
  if (!(p > 0 && p < 1) || !(df > 0)) throw new RangeError(`studentTQuantile wants 0 < p < 1 and df > 0, got p = ${p}, df = ${df}`);
  if (p === 0.5) return 0;
  if (p < 0.5) return -upperQuantile(p, df);
  return upperQuantile(1 - p, df);
}

/** t > 0 with P(T > t) = tail. */
function upperQuantile(tail: number, df: number): number {
  if (df === 1) return 1 / Math.tan(Math.PI * tail);
  if (df === 2) return (1 - 2 * tail) / Math.sqrt(2 * tail * (1 - tail));
  const start = cornishFisher(-normalQuantile(tail), df);
  return df >= EXPANSION_FROM ? start : solve(tail, df, start);
}

function cornishFisher(z: number, df: number): number {
  const z2 = z * z;
  const terms = [
    (z2 + 1) / 4,
    ((5 * z2 + 16) * z2 + 3) / 96,
    (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384,
    ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160,
  ];
  return z * (1 + terms.reduceRight((value, term) => (value + term) / df, 0));
}

/** Newton on the tail, kept inside a bracket that halves whenever a step would leave it. */
function solve(tail: number, df: number, start: number): number {
  let low = 0;
  let high = Number.POSITIVE_INFINITY;
  let t = Math.max(start, 1e-6);
  for (let step = 0; step < MAX_NEWTON_STEPS; step++) {
    const excess = upperTail(t, df) - tail;
    if (excess > 0) low = t;
    else high = t;
    let next = t + excess / density(t, df);
    if (!(next > low && next < high)) next = high === Number.POSITIVE_INFINITY ? t * 2 : (low + high) / 2;
    if (Math.abs(next - t) <= 1e-15 * t) return next;
    t = next;
  }
  return t;
}

/** P(T > t), t >= 0. */
function upperTail(t: number, df: number): number {
  const t2 = t * t;
  // Far out the tail itself is the small number; near the centre the middle part is.
  if (t2 > df / (df + 2)) return incompleteBeta(df / (df + t2), t2 / (df + t2), df / 2, 0.5) / 2;
  return (1 - incompleteBeta(t2 / (df + t2), df / (df + t2), 0.5, df / 2)) / 2;
}

function density(t: number, df: number): number {
  return gammaRatio(df / 2) / Math.sqrt(df * Math.PI) / Math.exp(((df + 1) / 2) * Math.log1p((t * t) / df));
}

/** Regularised incomplete beta I_x(a, b) with one of a, b equal to 1/2; `y` is 1 - x, given apart so that no digit is lost. */
function incompleteBeta(x: number, y: number, a: number, b: number): number {
  if (x <= 0) return 0;
  // 1 / B(a, 1/2) = Gamma(a + 1/2) / (Gamma(a) sqrt(pi)), in the same way for b.
  const inverseBeta = gammaRatio(a === 0.5 ? b : a) / Math.sqrt(Math.PI);
  const front = inverseBeta * Math.exp(a * Math.log(x) + b * Math.log(y));
  return (front * betaFraction(x, a, b)) / a;
}

/** Continued fraction of the incomplete beta by Lentz's method. */
function betaFraction(x: number, a: number, b: number): number {
  let c = 1;
  let d = 1 / (1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let m = 1; m <= MAX_FRACTION_TERMS; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / (1 + even * d);
    c = 1 + even / c;
    value *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / (1 + odd * d);
    c = 1 + odd / c;
    value *= d * c;
    if (Math.abs(d * c - 1) < 1e-16) break;
  }
  return value;
}

/** Gamma(a + 1/2) / Gamma(a): asymptotic series after moving the argument up until the series is exact. */
function gammaRatio(a: number): number {
  let factor = 1;
  let x = a;
  for (; x < 40; x++) factor *= x / (x + 0.5);
  const inverse = 1 / x;
  const inverse2 = inverse * inverse;
  const series = inverse * (-1 / 8 + inverse2 * (1 / 192 + inverse2 * (-1 / 640 + inverse2 * (17 / 14336 - inverse2 * (31 / 18432)))));
  return factor * Math.sqrt(x) * Math.exp(series);
}
