/** Every bound of the client, by name, with its default: those of the table of top-level keys, without their `http_`. */
import { HTTP_LIMIT_KEYS } from "../config/index.ts";
import { type CamelCase, camelCase } from "./camel-case.ts";

type LimitKey = keyof typeof HTTP_LIMIT_KEYS;

/** Numbers; what they mean stands in the table. A bound that has no default is infinite. */
export type ClientLimits = { [Key in LimitKey as Key extends `http_${infer Name}` ? CamelCase<Name> : never]: number };

/** Limits from what a configuration says; `get` gives the value of a top-level key, which was checked when it was loaded. */
export function clientLimits(get: (key: string) => unknown): ClientLimits {
  const limits = Object.entries(HTTP_LIMIT_KEYS).map(([key, { default: preset }]) => [
    camelCase(key.slice("http_".length)),
    numberOf(get(key)) ?? preset ?? Number.POSITIVE_INFINITY,
  ]);
  return Object.fromEntries(limits) as ClientLimits;
}

export const CLIENT_LIMITS: ClientLimits = clientLimits(() => undefined);

/** Undefined for what a configuration leaves open. Numeric texts are numbers, as everywhere in it. */
export function numberOf(value: unknown): number | undefined {
  return value === undefined || value === null ? undefined : Number(typeof value === "string" ? value.replaceAll("_", "") : value);
}

/** Longest delay of a timer; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A limit as a timer takes it: 0 = none, everything else within what a timer can wait. */
export function timerMs(limitMs: number): number {
  return limitMs > 0 ? Math.min(limitMs, MAX_TIMER_MS) : 0;
}
