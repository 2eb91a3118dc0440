/** Sets of rollouts in a few bytes each: a bit per rollout for the usual case of integer tasks and small rollout numbers. */
import type { RolloutKey } from "./row.ts";

const BITS = 30;

/** A task id as a map key; ids that are not numbers get their JSON text, which no number equals. */
export function taskKey(task: unknown): number | string {
  return typeof task === "number" ? task : (JSON.stringify(task) ?? "undefined");
}

export function keyText(key: RolloutKey): string {
  return `${taskKey(key.task)}:${taskKey(key.rollout)}`;
}

export interface RolloutSet {
  /** True where the rollout was not in the set before. */
  add(key: RolloutKey): boolean;
  has(key: RolloutKey): boolean;
  readonly size: number;
}

export function rolloutSet(): RolloutSet {
  const bits = new Map<number | string, number>();
  const others = new Set<string>();
  let size = 0;
  const isSmall = (rollout: unknown): rollout is number =>
    typeof rollout === "number" && Number.isInteger(rollout) && rollout >= 0 && rollout < BITS;
  return {
    add(key): boolean {
      let fresh: boolean;
      if (isSmall(key.rollout)) {
        const task = taskKey(key.task);
        const before = bits.get(task) ?? 0;
        fresh = (before & (1 << key.rollout)) === 0;
        if (fresh) bits.set(task, before | (1 << key.rollout));
      } else {
        const text = keyText(key);
        fresh = !others.has(text);
        others.add(text);
      }
      if (fresh) size++;
      return fresh;
    },
    has(key): boolean {
      if (isSmall(key.rollout)) return ((bits.get(taskKey(key.task)) ?? 0) & (1 << key.rollout)) !== 0;
      return others.has(keyText(key));
    },
    get size(): number {
      return size;
    },
  };
}

/** Orders keys as results are ordered: by task, then rollout; numbers before anything else. */
export function compareKeys(a: RolloutKey, b: RolloutKey): number {
  return compareIds(a.task, b.task) || compareIds(a.rollout, b.rollout);
}

export function compareIds(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "number") return -1;
  if (typeof b === "number") return 1;
  const x = typeof a === "string" ? a : taskKey(a);
  const y = typeof b === "string" ? b : taskKey(b);
  return x < y ? -1 : x > y ? 1 : 0;
}
