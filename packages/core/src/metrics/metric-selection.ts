/** Picking headline metrics out of the pass@k family. */
import { PASS_SPREAD_ENDING } from "./point-names.ts";
import type { Metrics } from "./types.ts";

export interface HighestKOptions {
  /** Only these names (the text after the first `/` behind the pattern). */
  scoreNames?: readonly string[];
  excludeNames?: readonly string[];
}

/** The entries `<pattern>/<name>` with the largest k; `{k}` in the pattern stands for it. Spreads are never picked. */
export function highestKMetrics(metrics: Readonly<Metrics>, pattern: string, options: HighestKOptions = {}): Metrics {
  const [before = "", after = ""] = pattern.split("{k}");
  const matcher = new RegExp(`^${escapeRegExp(before)}(\\d+)${escapeRegExp(after)}/(.+)$`, "s");
  let highest = -1;
  let picked: Metrics = {};
  for (const [key, value] of Object.entries(metrics)) {
    const match = matcher.exec(key);
    if (match === null || PASS_SPREAD_ENDING.test(key)) continue;
    const name = match[2] as string;
    if (options.scoreNames?.includes(name) === false || options.excludeNames?.includes(name)) continue;
    const k = Number(match[1]);
    if (k < highest) continue;
    if (k > highest) picked = {};
    highest = k;
    picked[key] = value;
  }
  return picked;
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
