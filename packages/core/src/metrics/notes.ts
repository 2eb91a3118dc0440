/** What a reader should know beside the numbers. One `NotesBuilder` lives as long as its aggregation. */

/** More names than this are only counted, so that hostile rows cannot fill a report. */
export const MAX_REPORTED_FIELDS = 100;

export type MetricWarning = "zero_standard_error" | "incomplete_repeats";
export type LeftOutReason = "not_finite" | "too_many_columns";

export interface LeftOutField {
  /** Field or metric name. */
  field: string;
  reason: LeftOutReason;
  /** How many values or results were left out. */
  count: number;
}

export interface MetricNotes {
  warnings: MetricWarning[];
  leftOut: LeftOutField[];
  /** Values left out under names past `MAX_REPORTED_FIELDS`. */
  leftOutUnlisted: number;
  measuredRollouts: number;
  maskedRollouts: number;
  /** Failure class -> rollouts. */
  failedRollouts: Record<string, number>;
}

export interface NotesBuilder {
  warn: (warning: MetricWarning) => void;
  leaveOut: (field: string, reason: LeftOutReason) => void;
  measured: () => void;
  masked: () => void;
  failed: (failureClass: string) => void;
  maskedCount: () => number;
  failedCount: () => number;
  build: () => MetricNotes;
}

export function createNotes(): NotesBuilder {
  const warnings = new Set<MetricWarning>();
  const leftOut = new Map<string, LeftOutField>();
  const failed = new Map<string, number>();
  let unlisted = 0;
  let measured = 0;
  let masked = 0;
  let failures = 0;
  return {
    warn: (warning) => void warnings.add(warning),
    leaveOut: (field, reason) => {
      const key = `${reason} ${field}`;
      const entry = leftOut.get(key);
      if (entry !== undefined) entry.count++;
      else if (leftOut.size < MAX_REPORTED_FIELDS) leftOut.set(key, { field, reason, count: 1 });
      else unlisted++;
    },
    measured: () => void measured++,
    masked: () => void masked++,
    failed: (failureClass) => {
      failures++;
      failed.set(failureClass, (failed.get(failureClass) ?? 0) + 1);
    },
    maskedCount: () => masked,
    failedCount: () => failures,
    build: () => ({
      warnings: [...warnings].sort(),
      leftOut: [...leftOut.values()],
      leftOutUnlisted: unlisted,
      measuredRollouts: measured,
      maskedRollouts: masked,
      failedRollouts: Object.fromEntries(failed),
    }),
  };
}
