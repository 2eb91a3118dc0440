/** Comparison of a metrics answer with a golden: exact but for numbers, and with the order of keys. */
import { expect } from "vitest";

const RELATIVE = 1e-9;
const ABSOLUTE = 1e-12;
/** Ends of intervals rest on a t quantile. */
const INTERVAL_RELATIVE = 1e-7;

export interface CloseOptions {
  /** Keys of maps at these paths (dots between members) may come in any order. */
  freeOrder?: readonly string[];
}

/** Fails with the path of the first difference. */
export function expectClose(ours: unknown, theirs: unknown, options: CloseOptions = {}): void {
  const difference = firstDifference(ours, theirs, { path: "", options });
  expect(difference, difference).toBeUndefined();
}

interface Place {
  path: string;
  options: CloseOptions;
}

function firstDifference(ours: unknown, theirs: unknown, place: Place): string | undefined {
  const { path } = place;
  if (typeof ours === "number" && typeof theirs === "number") {
    const relative = path.includes("ci_low_95") || path.includes("ci_high_95") ? INTERVAL_RELATIVE : RELATIVE;
    const limit = Math.max(ABSOLUTE, relative * Math.max(Math.abs(ours), Math.abs(theirs)));
    return Math.abs(ours - theirs) <= limit ? undefined : `${path}: ${ours} is not ${theirs}`;
  }
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    if (ours.length !== theirs.length) return `${path}: ${ours.length} elements, not ${theirs.length}`;
    return firstOf(ours.map((value, index) => () => firstDifference(value, theirs[index], { ...place, path: `${path}[${index}]` })));
  }
  if (isMap(ours) && isMap(theirs)) {
    const [own, other] = [Object.keys(ours), Object.keys(theirs)];
    if (place.options.freeOrder?.includes(path)) [own, other].map((keys) => keys.sort());
    if (own.join("\n") !== other.join("\n")) return `${path}: keys\n${own.join(" | ")}\nare not\n${other.join(" | ")}`;
    return firstOf(
      own.map((key) => () => firstDifference(ours[key], theirs[key], { ...place, path: path === "" ? key : `${path}.${key}` })),
    );
  }
  return Object.is(ours, theirs) ? undefined : `${path}: ${JSON.stringify(ours)} is not ${JSON.stringify(theirs)}`;
}

function firstOf(checks: (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const difference = check();
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
