/** What is going on with one target: a server of the run, or an endpoint outside. */

export interface TargetLoad {
  /** Begun since the start of the process. */
  calls: number;
  /** Begun and not ended: at work, waiting, or in a pause before another try. */
  inFlight: number;
  /** Of those in flight: waiting for a free connection or for the limit of the endpoint. */
  waiting: number;
  /** Of those in flight: in a pause before another try. Absent where nobody tells. */
  pausing?: number;
  /** Tries after the first of a call. */
  retries: number;
  /** The last status for which a call was sent again. */
  lastRefusal?: number;
  /** Calls that ended without a reply; those that their caller gave up do not count. */
  errors: number;
  /** Calls at once that the endpoint is given: fixed by the configuration, or found by trial. */
  limit?: LimitLoad;
  /** A circuit that is open fails calls at once. */
  circuit?: CircuitLoad;
}

export interface LimitLoad {
  current: number;
  kind: "fixed" | "adaptive";
  /** What an adaptive limit never passes. */
  max?: number;
}

export interface CircuitLoad {
  /** `half-open`: one call is under way as a trial. */
  state: "closed" | "open" | "half-open";
  /** What the endpoint said. */
  reason?: string;
  /** When it opened, in milliseconds since 1970. */
  since?: number;
  /** When the next call is let through as a trial, in milliseconds since 1970. */
  nextTrial?: number;
}
