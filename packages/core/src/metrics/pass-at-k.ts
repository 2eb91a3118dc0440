/** Unbiased pass@k (Chen et al. 2021) without a single binomial coefficient, so that nothing overflows or cancels. */

/**
 * The chance that k rollouts drawn without replacement from n, of which c pass, hold at least one that passes: 1 - C(n - c, k) / C(n, k).
 * Returns the values for k = 1 ... n. Each is the sum of the chances that the first pass comes at draw 1, 2, ... k: only positive terms.
 */
export function passAtEveryK(n: number, c: number): number[] {
  const values: number[] = [];
  let missed = 1;
  let passed = 0;
  for (let k = 1; k <= n; k++) {
    const chance = c / (n - k + 1);
    passed += missed * chance;
    missed *= 1 - chance;
    values.push(n - c < k ? 1 : passed);
    if (n - c < k) missed = 0;
  }
  return values;
}

/** pass@k of one task with n >= k rollouts, of which c pass. */
export function passAtK(n: number, c: number, k: number): number {
  if (!(k >= 1 && k <= n)) throw new RangeError(`passAtK wants 1 <= k <= n, got k = ${k}, n = ${n}`);
  return passAtEveryK(n, c)[k - 1] as number;
}
