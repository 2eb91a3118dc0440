/** A Response that came with status 200 and yet is no answer: the endpoint says in it that it failed, was stopped, or is not done. */
import { isObject } from "./fields.ts";

const UNANSWERED = new Set(["failed", "cancelled", "queued", "in_progress"]);

/** What the endpoint says, undefined where the Response is an answer (complete, or cut off by a limit of the request). */
export function failureOfResponse(response: unknown): string | undefined {
  if (!isObject(response)) return undefined;
  const { status, error } = response;
  const said = isObject(error) ? [error.code, error.message].filter((part) => typeof part === "string").join(": ") : "";
  if (typeof status === "string" && UNANSWERED.has(status)) return `a Response whose status is ${status}${said === "" ? "" : ` (${said})`}`;
  return error === undefined || error === null ? undefined : `a Response that holds an error${said === "" ? "" : ` (${said})`}`;
}
