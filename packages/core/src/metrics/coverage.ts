/** How much of what was asked for a report rests on. */

export interface CoverageCounts {
  /** Rollouts that were asked for. */
  expected: number;
  /** Rollouts with a reward that a verifier measured. */
  scored: number;
  /** Failure class -> rollouts whose last attempt failed with it. */
  failed?: Readonly<Record<string, number>>;
  /** Finished, but marked `mask_sample`. */
  masked?: number;
  /** Failed or missing rollouts that were counted as zero on request; they stay failed or missing here. */
  imputed?: number;
}

export interface Coverage {
  expected: number;
  scored: number;
  failed: Record<string, number>;
  failed_total: number;
  /** Asked for and neither scored nor failed nor masked. */
  missing: number;
  masked: number;
  imputed: number;
  /** scored / expected; 1 where nothing was expected. */
  fraction: number;
}

export function coverageOf(counts: CoverageCounts): Coverage {
  const failed = Object.fromEntries(Object.entries(counts.failed ?? {}).filter(([, count]) => count > 0));
  const failed_total = Object.values(failed).reduce((total, count) => total + count, 0);
  const masked = counts.masked ?? 0;
  return {
    expected: counts.expected,
    scored: counts.scored,
    failed,
    failed_total,
    missing: Math.max(0, counts.expected - counts.scored - failed_total - masked),
    masked,
    imputed: counts.imputed ?? 0,
    fraction: counts.expected === 0 ? 1 : counts.scored / counts.expected,
  };
}

/** Flat `coverage/...` numbers for the metrics file and the exporters; `coverage/failed/<class>` for each class. */
export function coverageMetrics(coverage: Coverage): Record<string, number> {
  return {
    "coverage/expected": coverage.expected,
    "coverage/scored": coverage.scored,
    "coverage/failed": coverage.failed_total,
    ...Object.fromEntries(Object.entries(coverage.failed).map(([name, count]) => [`coverage/failed/${name}`, count])),
    "coverage/missing": coverage.missing,
    "coverage/masked": coverage.masked,
    "coverage/imputed": coverage.imputed,
    "coverage/fraction": coverage.fraction,
  };
}
