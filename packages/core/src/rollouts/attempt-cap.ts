/** How often a rollout may fail before resume leaves it alone: NEMO_GYM_MAX_ROLLOUT_ATTEMPTS. */
import { DEFAULT_ROLLOUT_ATTEMPTS } from "./limits.ts";

export interface AttemptCap {
  cap: number;
  /** The setting was there but is no number of 1 or more. */
  ignored: boolean;
}

/** Unset or empty: the default. Read as Python reads an integer: blanks around, a sign, `_` between digits. */
export function attemptCap(setting: string | undefined): AttemptCap {
  if (setting === undefined || setting === "") return { cap: DEFAULT_ROLLOUT_ATTEMPTS, ignored: false };
  const text = setting.trim();
  const cap = /^[+-]?\d+(?:_\d+)*$/.test(text) ? Number(text.replaceAll("_", "")) : Number.NaN;
  return cap >= 1 ? { cap, ignored: false } : { cap: DEFAULT_ROLLOUT_ATTEMPTS, ignored: true };
}
