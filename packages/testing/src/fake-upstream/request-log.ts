/** What reached the upstream and what became of it: the requests in order of arrival, and counters over them. */
import type { IncomingMessage } from "node:http";

export type Outcome = "open" | "answered" | "cancelled" | "dropped" | "cut" | "reset";

export interface FakeRequest {
  method: string;
  /** As it came, with prefix and query. */
  path: string;
  headers: IncomingMessage["headers"];
  /** The JSON value of the body, or its text where it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it sent
  body: any;
  text: string;
  /** Milliseconds since the process started, of the arrival. */
  at: number;
  outcome: Outcome;
  /** Resolves when the outcome is known. */
  ended: Promise<void>;
}

export interface FakeStats {
  requests: number;
  /** By path without rollout prefix. */
  byRoute: Record<string, number>;
  open: number;
  maxOpen: number;
  /** The caller left before the answer. */
  cancelled: number;
  /** Answers with a status of 400 or more. */
  errors: number;
  dropped: number;
  /** Connections open now. */
  connections: number;
  /** Connections ever accepted. */
  accepted: number;
}

export class RequestLog {
  requests: FakeRequest[] = [];
  stats: FakeStats = emptyStats();
  #waiting: { met: () => boolean; go: () => void }[] = [];

  /** Notes a request; the function it returns notes the outcome. */
  add(request: Omit<FakeRequest, "at" | "outcome" | "ended">, route: string): (outcome: Outcome, status: number) => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    const entry: FakeRequest = { ...request, at: performance.now(), outcome: "open", ended: promise };
    const { stats } = this;
    this.requests.push(entry);
    stats.requests++;
    stats.byRoute[route] = (stats.byRoute[route] ?? 0) + 1;
    stats.open++;
    stats.maxOpen = Math.max(stats.maxOpen, stats.open);
    this.#look();
    return (outcome, status) => {
      entry.outcome = outcome;
      stats.open--;
      if (outcome === "cancelled") stats.cancelled++;
      if (outcome === "dropped" || outcome === "reset" || outcome === "cut") stats.dropped++;
      if (outcome === "answered" && status >= 400) stats.errors++;
      resolve();
      this.#look();
    };
  }

  /** Resolves as soon as `met` holds; it is looked at after each arrival and each end. */
  async until(met: () => boolean): Promise<void> {
    if (met()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ met, go: resolve });
    await promise;
  }

  /** Forgets requests and counts; what is open stays open. */
  reset(): void {
    const { open, connections, accepted } = this.stats;
    this.requests = [];
    Object.assign(this.stats, emptyStats(), { open, maxOpen: open, connections, accepted });
  }

  #look(): void {
    this.#waiting = this.#waiting.filter(({ met, go }) => {
      if (!met()) return true;
      go();
      return false;
    });
  }
}

function emptyStats(): FakeStats {
  return { requests: 0, byRoute: {}, open: 0, maxOpen: 0, cancelled: 0, errors: 0, dropped: 0, connections: 0, accepted: 0 };
}
