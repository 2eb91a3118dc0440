/** Limits that a block gives the whole instance: where it runs in several processes, each gets its share, so that together they keep the limit. */
import type { InstancePlan } from "./plan.ts";

/** Calls at once at an endpoint, episodes at once. */
const DIVIDED = ["max_concurrent_requests", "max_concurrent_episodes"] as const;

/** The plan of the copy with this number: the first ones get what does not divide evenly. */
export function shareOf(plan: InstancePlan, copy: number): InstancePlan {
  const shares = limitsOf(plan).map(([key, limit]) => [key, Math.floor(limit / plan.copies) + (copy < limit % plan.copies ? 1 : 0)]);
  return shares.length === 0 ? plan : { ...plan, block: { ...plan.block, ...Object.fromEntries(shares) } };
}

/** Why the plan's limits cannot be divided; undefined where they can. */
export function undividable(plan: InstancePlan): string | undefined {
  const [small] = limitsOf(plan).filter(([, limit]) => limit < plan.copies);
  if (small === undefined) return undefined;
  const [key, limit] = small;
  return `${key} ${limit} is for all ${plan.copies} processes that run it together, so that some would get nothing: raise it, or lower num_hosts or num_workers`;
}

function limitsOf({ block, copies }: InstancePlan): [key: string, limit: number][] {
  if (copies === 1) return [];
  return DIVIDED.flatMap((key): [string, number][] => (/^\d+$/.test(String(block[key])) ? [[key, Number(block[key])]] : []));
}
