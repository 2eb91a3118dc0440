/** How many processes run an instance: all `shared` ones together in `num_hosts`, one with `num_workers` in that many of its own. */
import { MAX_COPIES, wholeNumber } from "../../config/index.ts";
import { homeOf, type InstancePlan } from "./plan.ts";

/** `num_workers` of a block; one where it says nothing, or less than two as the reference has it. @throws Error saying what it must be. */
export function workersOf(value: unknown): number {
  if (value === undefined || value === null) return 1;
  const workers = wholeNumber(value);
  if (workers === undefined || workers > MAX_COPIES)
    throw new Error(`num_workers must be a whole number up to ${MAX_COPIES}, not ${JSON.stringify(value)}`);
  return Math.max(1, workers);
}

/** Plans with the number of their copies: an environment server has as many as the agent in whose process it lives. */
export function withCopies(plans: readonly InstancePlan[], numHosts: number): InstancePlan[] {
  return plans.map((plan) => {
    const home = homeOf(plan, plans);
    if (home.language === "python") return { ...plan, copies: 1 };
    return { ...plan, copies: home.hosting === "shared" ? numHosts : home.copies };
  });
}
