/** `restart` in a server's block: how often a server that ends by itself is started anew. */

/** Most restarts that a policy may name. */
export const MAX_RESTARTS = 1_000;

const EXPECTED = `never, or {on_failure: N} with N from 1 to ${MAX_RESTARTS}`;
const WRITTEN = /^on_failure\(\s*(\d{1,9})\s*\)$/;

/** Restarts in all; 0 = never. @throws Error saying what it must be. */
export function restartsOf(value: unknown): number {
  if (value === undefined || value === null || value === "never") return 0;
  const times = timesOf(value);
  if (typeof times === "number" && Number.isInteger(times) && times >= 1 && times <= MAX_RESTARTS) return times;
  throw new Error(`restart must be ${EXPECTED}, not ${JSON.stringify(value)}`);
}

function timesOf(value: unknown): unknown {
  if (typeof value === "string") return Number(WRITTEN.exec(value)?.[1]);
  if (typeof value !== "object" || value === null || Object.keys(value).join() !== "on_failure") return undefined;
  return (value as { on_failure: unknown }).on_failure;
}
