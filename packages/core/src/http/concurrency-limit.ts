/**
 * Places for calls at one endpoint outside: a fixed number, or one that adapts to what the endpoint bears. Calls beyond it wait in order, in a queue
 * with a bound. A call has its place for one try; while it pauses before another it has none, and when it comes back it goes before those that
 * were never sent: no call grows old in favour of younger ones, and a pause never keeps a place from working.
 *
 * What the endpoint says about its load holds for all calls: after a Retry-After nothing is sent to it before that time, and when it has refused
 * everything for as long as a call may be retried, those that wait fail with its answer instead of waiting for ever.
 */
import { createFifo, type Fifo } from "../work/index.ts";
import { adaptiveSize, fixedSize, type LimitSize } from "./adaptive-size.ts";
import { statusError } from "./failure.ts";
import { isSpentQuota } from "./key-refusal.ts";
import type { Reply } from "./message.ts";
import { fullQueue, leftQueue } from "./queue-error.ts";
import type { RetryClock } from "./retry.ts";
import { retryAfterMs } from "./retry-policy.ts";
import type { LimitLoad } from "./target-load.ts";

export interface ConcurrencyLimit {
  /**
   * Sends when there is a place. `again`: the call was sent before.
   * @throws GymError NG_ERR_OVERLOADED (queue), NG_ERR_CANCELLED, NG_ERR_UPSTREAM_STATUS (given up while it waited), and what `send` throws.
   */
  run(send: (waitedMs: number) => Promise<Reply>, how?: { signal?: AbortSignal; again?: boolean }): Promise<Reply>;
  load(): LimitLoad;
  waiting(): number;
  /** Ends what waits. */
  close(): void;
}

export interface LimitOptions {
  /** Of the endpoint: named in errors. */
  name: string;
  url: string;
  clock: Pick<RetryClock, "now" | "pause">;
  /** Calls that may wait. */
  maxQueuedCalls: number;
  /** Longest Retry-After that is obeyed. */
  maxRetryAfterMs: number;
  /** When everything was refused for so long, those that wait fail. */
  giveUpAfterMs: number;
}

/** The number of calls at once is given. */
export function fixedLimit(calls: number, options: LimitOptions): ConcurrencyLimit {
  return createLimit(fixedSize(calls), options);
}

/** The number of calls at once is found by trial, between 1 and `max`. */
export function adaptiveLimit(max: number, options: LimitOptions): ConcurrencyLimit {
  return createLimit(adaptiveSize(max), options);
}

/** Statuses that say "too much at once". */
const REFUSALS = new Set([429, 503, 529]);

interface Waiting {
  begin: () => void;
  fail: (error: Error) => void;
}

function createLimit(size: LimitSize, options: LimitOptions): ConcurrencyLimit {
  const { name, url, clock } = options;
  const fresh = createFifo<Waiting>();
  const returning = createFifo<Waiting>();
  const closed = new AbortController();
  let running = 0;
  /** Nothing is sent before this time. */
  let opensAt = 0;
  let timed = false;
  /** Since when every answer was a refusal. */
  let refusingSince: number | undefined;

  const place = { boundary: name, url };

  /** Gives free places to those that wait longest. */
  function admit(): void {
    if (clock.now() < opensAt) {
      admitLater();
      return;
    }
    while (running < size.current()) {
      const next = returning.shift() ?? fresh.shift();
      if (next === undefined) return;
      running++;
      next.begin();
    }
  }

  function admitLater(): void {
    if (timed || fresh.size + returning.size === 0) return;
    timed = true;
    clock.pause(opensAt - clock.now(), closed.signal).then(
      () => {
        timed = false;
        admit();
      },
      () => {},
    );
  }

  function enter(queue: Fifo<Waiting>, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted || closed.signal.aborted) return Promise.reject(leftQueue(place, signal?.reason));
    if (fresh.size + returning.size >= options.maxQueuedCalls) return Promise.reject(fullQueue(place, options.maxQueuedCalls));
    return new Promise<void>((resolve, reject) => {
      const settle = (): void => signal?.removeEventListener("abort", onAbort);
      const onAbort = (): void => {
        leave();
        settle();
        reject(leftQueue(place, signal?.reason));
      };
      const begin = (): void => {
        settle();
        resolve();
      };
      const fail = (error: Error): void => {
        settle();
        reject(error);
      };
      const leave = queue.push({ begin, fail });
      signal?.addEventListener("abort", onAbort, { once: true });
      admit();
    });
  }

  function emptyQueues(error: () => Error): void {
    for (const queue of [returning, fresh]) for (let next = queue.shift(); next !== undefined; next = queue.shift()) next.fail(error());
  }

  function heed(reply: Reply, episode: number): void {
    if (!REFUSALS.has(reply.status) || isSpentQuota(reply)) {
      refusingSince = undefined;
      if (reply.status < 400) size.answered(episode, running >= size.current());
      return;
    }
    size.refused(episode, running);
    const now = clock.now();
    const asked = retryAfterMs(reply.headers["retry-after"], now);
    if (asked !== undefined) opensAt = Math.max(opensAt, now + Math.min(asked, options.maxRetryAfterMs));
    refusingSince ??= now;
    if (now - refusingSince < options.giveUpAfterMs) return;
    const explanation = `Not sent: ${name} has refused every call for ${Math.round((now - refusingSince) / 1000)} s.`;
    emptyQueues(() => statusError(reply, { server: name, path: url, explanation }));
  }

  return {
    async run(send, { signal, again = false } = {}) {
      const asked = clock.now();
      const waits = fresh.size + returning.size > 0;
      // Nobody asked for a while: what the endpoint said then is no news of now.
      if (running === 0 && !waits) refusingSince = undefined;
      if (running < size.current() && asked >= opensAt && !waits) running++;
      else await enter(again ? returning : fresh, signal);
      const episode = size.episode();
      try {
        const reply = await send(clock.now() - asked);
        heed(reply, episode);
        return reply;
      } finally {
        running--;
        admit();
      }
    },
    load: () => ({ current: size.current(), kind: size.kind, ...(size.max === undefined ? {} : { max: size.max }) }),
    waiting: () => fresh.size + returning.size,
    close() {
      closed.abort();
      emptyQueues(() => leftQueue(place, new Error("the client was closed")));
    },
  };
}
