/**
 * How many calls at once an endpoint bears, found by trial: additive increase and multiplicative decrease, as TCP finds the rate of a path (RFC 5681).
 * It begins with slow start (one more for each answer), goes on with one more for each round of answers, and is cut when the endpoint refuses.
 * It only grows while it is really used: a limit that nobody reaches says nothing about the endpoint.
 */

/** Calls at once to begin with. */
export const FIRST_LIMIT = 16;
/** What a refusal leaves of the limit. */
export const CUT = 0.8;
/** So far beyond the calls that were refused last, the endpoint has become a bigger one: slow start again. */
export const BEYOND = 1.5;

export interface LimitSize {
  readonly kind: "fixed" | "adaptive";
  readonly max?: number;
  current(): number;
  /** Counts the cuts so far. A call keeps the number it began with: what began before a cut knows nothing of the limit after it. */
  episode(): number;
  /** An answer; `full`: all places were taken when it came. */
  answered(episode: number, full: boolean): void;
  /** The endpoint had too much with `running` calls. */
  refused(episode: number, running: number): void;
}

export function fixedSize(calls: number): LimitSize {
  return { kind: "fixed", current: () => calls, episode: () => 0, answered: () => {}, refused: () => {} };
}

/** Between 1 and `max`. */
export function adaptiveSize(max: number): LimitSize {
  let limit = Math.min(FIRST_LIMIT, max);
  /** Slow start ends here. */
  let threshold = Number.POSITIVE_INFINITY;
  /** Calls at once that were refused last. */
  let tooMany = Number.POSITIVE_INFINITY;
  let cuts = 0;
  return {
    kind: "adaptive",
    max,
    current: () => Math.floor(limit),
    episode: () => cuts,
    answered(episode, full) {
      if (episode !== cuts || !full) return;
      if (limit > tooMany * BEYOND) threshold = Number.POSITIVE_INFINITY;
      limit = Math.min(max, limit + (limit < threshold ? 1 : 1 / limit));
    },
    refused(episode, running) {
      if (episode !== cuts) return;
      cuts++;
      tooMany = Math.min(limit, running);
      limit = Math.max(1, tooMany * CUT);
      threshold = limit;
    },
  };
}
