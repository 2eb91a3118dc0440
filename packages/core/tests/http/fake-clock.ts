/** A clock that jumps: pauses take no time, are remembered, and move `now` on. */
import type { RetryClock } from "../../src/http/index.ts";

export interface FakeClock extends RetryClock {
  pauses: number[];
}

/** `random` is what the jitter draws. */
export function fakeClock(random = 0.5): FakeClock {
  let now = 1_700_000_000_000;
  const pauses: number[] = [];
  return {
    pauses,
    now: () => now,
    random: () => random,
    pause: async (delayMs) => {
      pauses.push(delayMs);
      now += delayMs;
    },
  };
}
