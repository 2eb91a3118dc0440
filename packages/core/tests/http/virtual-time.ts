/** Time that jumps from one event to the next: minutes of pauses and answers in milliseconds, in the same order on every machine. */
import type { RetryClock } from "../../src/http/index.ts";

export interface VirtualTime {
  clock: RetryClock;
  /** Runs what is due, and what becomes due by it, until `end` milliseconds or until nothing is left. */
  runUntil(end: number): Promise<void>;
}

interface Event {
  at: number;
  order: number;
  happen: () => void;
}

export function virtualTime(seed = 1): VirtualTime {
  const events: Event[] = [];
  let now = 0;
  let order = 0;
  let state = seed;

  /** Park and Miller's generator. */
  function random(): number {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  }

  function add(event: Event): void {
    let low = 0;
    for (let high = events.length; low < high; ) {
      const middle = (low + high) >>> 1;
      const other = events[middle] as Event;
      if (other.at < event.at || (other.at === event.at && other.order < event.order)) high = middle;
      else low = middle + 1;
    }
    events.splice(low, 0, event);
  }

  return {
    clock: {
      now: () => now,
      random,
      pause: (delayMs, signal) =>
        new Promise((resolve, reject) => {
          add({ at: now + delayMs, order: order++, happen: resolve });
          signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
        }),
    },
    async runUntil(end) {
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve));
        const next = events.at(-1);
        if (next === undefined || next.at > end) break;
        events.pop();
        now = next.at;
        next.happen();
      }
      now = end;
    },
  };
}
