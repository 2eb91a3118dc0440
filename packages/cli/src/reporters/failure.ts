/** How an error reads: message, what to do, code. A stack only for what is a defect, and only when asked for. */
import { type GymError, printable } from "@ng-gym/core/errors";
import { hanging } from "./format.ts";

/** Lines for standard error. */
export function failureText(error: GymError): string {
  const { usage } = error.details;
  return [
    ...(typeof usage === "string" ? [`usage: ${usage}`] : []),
    `Error: ${hanging(error.message)}`,
    ...(error.hint === undefined ? [] : error.hint.split("\n").map((line) => `  ${line}`)),
    `  [${error.code}]`,
    "",
  ].join("\n");
}

/** The same as one JSON line. */
export function failureJson(error: GymError): string {
  const { code, message, hint, details, exitCode } = error;
  return `${JSON.stringify({ error: { code, message, hint, exit_code: exitCode, details } })}\n`;
}

/** What is shown for something thrown that is no `GymError`. */
export function defectText(thrown: unknown, debug: boolean): string {
  const message = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  const stack = debug && thrown instanceof Error ? `${thrown.stack ?? ""}${causes(thrown)}\n` : "";
  return printable(
    `Error: unexpected: ${hanging(message)}\n  This is a defect of ng-gym.${debug ? "" : " NG_DEBUG=1 shows where it happened."}\n${stack}`,
  );
}

function causes(error: Error): string {
  return error.cause instanceof Error ? `\ncaused by ${error.cause.stack ?? error.cause.message}${causes(error.cause)}` : "";
}
