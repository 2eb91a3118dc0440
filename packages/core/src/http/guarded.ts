/** One try behind the guards of its target: a circuit that may fail it at once, a place among the calls of the endpoint, a connection. */
import type { Reply } from "./message.ts";
import type { TargetState } from "./targets.ts";

export interface Guarded {
  url: string;
  signal?: AbortSignal;
  /** Sends the request; calls `onConnection` when it leaves the queue for a connection. */
  send: (onConnection: () => void) => Promise<Reply>;
}

/** What to try, and try again: counts where its call waits. */
export interface GuardedTries {
  attempt(again: boolean): Promise<Reply>;
  /** Milliseconds that the tries so far waited for a place: no part of any budget. */
  waitedMs(): number;
}

export function guardedTries(target: TargetState, { url, signal, send }: Guarded): GuardedTries {
  const { limit, circuit } = target;
  let waitedMs = 0;

  async function connected(): Promise<Reply> {
    let waiting = true;
    target.waiting++;
    const onConnection = (): void => {
      if (waiting) target.waiting--;
      waiting = false;
    };
    try {
      return await send(onConnection);
    } finally {
      onConnection();
    }
  }

  async function passed(): Promise<Reply> {
    if (circuit === undefined) return connected();
    // Asked again after the wait for a place: the key may have been refused meanwhile.
    circuit.pass(url);
    const reply = await connected();
    circuit.saw(reply);
    return reply;
  }

  return {
    waitedMs: () => waitedMs,
    async attempt(again) {
      if (limit === undefined) return passed();
      circuit?.check(url);
      return limit.run(
        (waited) => {
          waitedMs += waited;
          return passed();
        },
        { signal, again },
      );
    },
  };
}
