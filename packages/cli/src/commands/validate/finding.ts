/** What the checks behind a good configuration find. */
import type { Problem } from "@ng-gym/core/config";

/** A warning is what a run may still bring (an endpoint that will start, data that will be fetched); `--strict` counts it as an error. */
export interface Finding extends Problem {
  severity: "error" | "warning";
}

export const error = (problem: Problem): Finding => ({ severity: "error", ...problem });
export const warning = (problem: Problem): Finding => ({ severity: "warning", ...problem });
