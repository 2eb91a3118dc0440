/** How a command ends that did not do what it was asked. Loaded only then. */
import { GymError } from "@ng-gym/core/protocol";
import { UsageProblem } from "./args/index.ts";
import { defectText, failureJson, failureText } from "./reporters/index.ts";
import type { Terminal } from "./terminal/index.ts";

const EXIT_DEFECT = 1;

/** Shows what was thrown; returns the exit code it stands for. */
export function showFailure(thrown: unknown, at: { terminal: Terminal; json: boolean }): number {
  at.terminal.status("");
  const error = thrown instanceof UsageProblem ? new GymError("NG_ERR_USAGE", thrown.message, { hint: thrown.hint, details: { usage: thrown.usage } }) : thrown;
  if (error instanceof GymError) {
    at.terminal.note(at.json ? failureJson(error) : failureText(error));
    return error.exitCode;
  }
  at.terminal.note(defectText(error, process.env.NG_DEBUG === "1"));
  return EXIT_DEFECT;
}
