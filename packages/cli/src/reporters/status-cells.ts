/** Cells of the status tables, and what several processes tell about one target as one. */
import type { NamedHostStatus, TargetLoad } from "@ng-gym/core/head";
import { duration } from "./format.ts";

const MEGABYTE = 1024 * 1024;

export function bytes(count: number): string {
  return count >= 1024 * MEGABYTE ? `${(count / 1024 / MEGABYTE).toFixed(1)} GB` : `${Math.round(count / MEGABYTE)} MB`;
}

/** `adaptive 12`, `fixed 64`, `-` for none. */
export function limitText(limit: TargetLoad["limit"]): string {
  return limit === undefined ? "-" : `${limit.kind} ${limit.current}`;
}

export function circuitText(circuit: TargetLoad["circuit"], now: number): string {
  if (circuit === undefined) return "-";
  if (circuit.state === "closed") return "closed";
  const next = circuit.nextTrial === undefined ? "" : `, next trial in ${duration(Math.max(0, circuit.nextTrial - now) / 1000)}`;
  const reason = circuit.reason === undefined ? "" : `: ${circuit.reason}`;
  return `${circuit.state.toUpperCase()}${next}${reason}`;
}

/** By name: counts and limits of all processes together, the worst circuit. */
export function mergedTargets(hosts: readonly NamedHostStatus[]): Map<string, TargetLoad> {
  const merged = new Map<string, TargetLoad>();
  for (const [name, load] of hosts.flatMap(({ targets }) => Object.entries(targets))) {
    const sofar = merged.get(name);
    merged.set(name, sofar === undefined ? load : both(sofar, load));
  }
  return merged;
}

function both(one: TargetLoad, other: TargetLoad): TargetLoad {
  const limits = [one.limit, other.limit].filter((limit) => limit !== undefined);
  const circuits = [one.circuit, other.circuit].filter((circuit) => circuit !== undefined);
  const [limit] = limits;
  const lastRefusal = other.lastRefusal ?? one.lastRefusal;
  return {
    calls: one.calls + other.calls,
    inFlight: one.inFlight + other.inFlight,
    waiting: one.waiting + other.waiting,
    pausing: (one.pausing ?? 0) + (other.pausing ?? 0),
    retries: one.retries + other.retries,
    ...(lastRefusal === undefined ? {} : { lastRefusal }),
    errors: one.errors + other.errors,
    ...(limit === undefined ? {} : { limit: { ...limit, current: limits.reduce((sum, { current }) => sum + current, 0) } }),
    ...(circuits.length === 0 ? {} : { circuit: circuits.find(({ state }) => state !== "closed") ?? circuits[0] }),
  };
}
