/** How a command ends that did not do what it was asked. Loaded only then. */
import { GymError } from "@ng-gym/core/errors";
import { UsageProblem } from "./args/index.ts";
import { defectText, failureJson, failureText } from "./reporters/index.ts";
import type { Terminal } from "./terminal/index.ts";

const EXIT_DEFECT = 1;

/** Shows what was thrown; returns the exit code it stands for. */
export async function showFailure(thrown: unknown, at: { terminal: Terminal; json: boolean }): Promise<number> {
  at.terminal.status("");
  const error = thrown instanceof UsageProblem ? await asGymError(thrown) : thrown;
  if (error instanceof GymError) {
    at.terminal.note(at.json ? failureJson(error) : failureText(error));
    return error.exitCode;
  }
  at.terminal.note(defectText(error, process.env.NG_DEBUG === "1"));
  return EXIT_DEFECT;
}

async function asGymError(problem: UsageProblem): Promise<GymError> {
  return new GymError("NG_ERR_USAGE", problem.message, { hint: await problem.hint(), details: { usage: problem.options.usage } });
}
