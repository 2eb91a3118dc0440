/** The scripted peers of the recording wrote JSON as Python does: a tool's answer is a text that a model reads, so its blanks and escapes count. */
import type { Scripts } from "../fake-upstream/index.ts";

/** The scripts with every JSON body as the text that the recorded peer sent. */
export function asRecorded(scripts: Scripts): Scripts {
  return Object.fromEntries(
    Object.entries(scripts).map(([path, steps]) => [
      path,
      steps.map(({ json, ...step }) => (json === undefined ? step : { type: "application/json", ...step, text: pythonJson(json) })),
    ]),
  );
}

/** JSON with a blank behind `,` and `:` and without characters beyond ASCII. */
export function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    return `{${Object.entries(value)
      .map(([key, member]) => `${pythonJson(key)}: ${pythonJson(member)}`)
      .join(", ")}}`;
  }
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
