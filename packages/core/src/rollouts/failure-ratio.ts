/** Ends a run in which too many rollouts fail, before the rest of them uses up time, money and attempts. */
import { GymError } from "../errors/index.ts";
import { FAILURE_RATIO_SAMPLES } from "./limits.ts";
import type { Outcome } from "./outcome.ts";

/** Counts an outcome; an error once the share of failed rollouts among those that finished in this run is `ratio` or more. `null` = never. */
export type FailureRatio = (outcome: Outcome) => GymError | undefined;

export function createFailureRatio(ratio: number | null): FailureRatio {
  const kinds = new Map<string, number>();
  let finished = 0;
  let failed = 0;
  return (outcome) => {
    if (ratio === null || outcome.kind === "unresolved") return undefined;
    finished++;
    if (outcome.kind === "completed") return undefined;
    failed++;
    const kind = `${outcome.failureClass}${typeof outcome.row.failure_kind === "string" ? ` (${outcome.row.failure_kind})` : ""}`;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    if (finished < FAILURE_RATIO_SAMPLES || failed / finished < ratio) return undefined;
    const what = [...kinds].sort((a, b) => b[1] - a[1]).map(([name, count]) => `${count} ${name}`);
    return new GymError(
      "NG_ERR_TOO_MANY_FAILURES",
      `stopped: ${failed} of the ${finished} rollouts that finished have failed, and max_failure_ratio is ${ratio}: ${what.join(", ")}`,
      {
        hint: "Rollouts that had not finished cost no attempt. Once the cause is gone, run the same command with resume_from_cache=true (--resume); max_failure_ratio=null never stops.",
        details: { finished, failed, kinds: Object.fromEntries(kinds) },
      },
    );
  };
}
