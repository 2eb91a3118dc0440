/** How a run ended: the exit code and, where it is not 0, why. */
import { GymError } from "../errors/index.ts";
import type { CollectParameters } from "./parameters.ts";
import type { RunSummary } from "./summary.ts";

export interface CollectResult {
  exitCode: 0 | 1 | 130;
  /** Why the exit code is not 0. */
  problem?: GymError;
  summary: RunSummary;
}

export interface ResultFacts {
  /** What broke after the first request. */
  problem: GymError | undefined;
  parameters: Pick<CollectParameters, "require_complete">;
  strict: boolean;
  interrupted: boolean;
  dispatched: number;
  /** Rollouts that count as zero on request. */
  counted: number;
}

/** Interrupted first, then what broke, then nothing scored, then incomplete where completeness was asked for. */
export function resultOf(summary: RunSummary, facts: ResultFacts): CollectResult {
  if (facts.interrupted) {
    const problem = new GymError("NG_ERR_CANCELLED", `interrupted: ${summary.scored} of ${summary.expected} rollouts are scored`, {
      hint: "Run the same command with resume_from_cache=true to go on.",
    });
    return { exitCode: 130, problem, summary };
  }
  const persisted = summary.scored + summary.masked + summary.unscored;
  const problem =
    facts.problem ??
    (facts.dispatched > 0 && persisted === 0 && facts.counted === 0 ? nothingScored(summary, facts) : undefined) ??
    (facts.parameters.require_complete && persisted < summary.expected
      ? incomplete(persisted, summary, "require_complete is set")
      : undefined) ??
    (facts.strict && summary.coverage < 1 ? incomplete(summary.scored, summary, "--strict is set") : undefined);
  return problem === undefined ? { exitCode: 0, summary } : { exitCode: 1, problem, summary };
}

function nothingScored(summary: RunSummary, facts: ResultFacts): GymError {
  const classes = summary.failures
    .map(({ failureClass, failureKind, count }) => `${count} ${failureClass}${failureKind === undefined ? "" : ` (${failureKind})`}`)
    .join(", ");
  const drained = summary.run.drained > 0 ? `; ${summary.run.drained} were never started because the dispatch budget was spent` : "";
  return new GymError(
    "NG_ERR_NOTHING_SCORED",
    `none of ${facts.dispatched} dispatched rollouts has a result${classes === "" ? "" : `: ${classes}`}${drained}`,
    {
      hint: `Look at ${summary.paths.failures}.`,
      details: { failures: summary.failures },
    },
  );
}

function incomplete(have: number, summary: RunSummary, why: string): GymError {
  return new GymError("NG_ERR_INCOMPLETE", `${have} of ${summary.expected} rollouts have a result and ${why}`, {
    hint: "Run the same command with resume_from_cache=true: failed and missing rollouts run again.",
  });
}
