/**
 * Descriptors for connections. A process has a fixed number of them for everything: files, connections that it accepts, and those that it opens. A
 * part is kept free for the first two; when the rest is used up, a call that needs a new connection waits in order until one is closed, instead of
 * failing the process in places that cannot wait. One pool a client.
 *
 * How many are open is asked of the system, because others open some too; asked seldom, because on older kernels the answer takes time.
 */
import { createFifo, descriptorLimit, openDescriptors } from "../work/index.ts";

export interface DescriptorUse {
  /** Undefined where the system does not tell. */
  limit: number | undefined;
  open(): number;
}

export interface DescriptorPool {
  /** Counts one more connection where that is allowed. `first`: its origin has none, so it may have one out of the reserve: work goes on everywhere. */
  tryTake(first: boolean): boolean;
  /** Counts one out that was closed. */
  give(): void;
  /** Calls `grant`, in order, when one more was counted; it returns false where it has no use for it any more. Returns how to leave. */
  want(grant: () => boolean): () => void;
  waiting(): number;
  /** The system refused one although we thought that there was room: look again before the next. */
  shortage(): void;
  /** Who may hold idle connections; `closeIdle` closes one and tells whether it did. */
  join(holder: { closeIdle(): boolean }): void;
  close(): void;
}

/** How often those that wait look whether others have closed theirs. */
const LOOK_AGAIN_MS = 100;
/** A small process keeps no more than this part of its descriptors free. */
const LARGEST_RESERVED_PART = 1 / 4;

export interface DescriptorOptions {
  /** Kept free for files and accepted connections. */
  reserve: number;
  /** Connections of the client in all. */
  maxConnections: number;
  use?: DescriptorUse;
}

export function createDescriptorPool({ reserve, maxConnections, use = processDescriptors() }: DescriptorOptions): DescriptorPool {
  const wants = createFifo<() => boolean>();
  const holders: { closeIdle(): boolean }[] = [];
  const usable = use.limit === undefined ? Number.POSITIVE_INFINITY : use.limit - Math.min(reserve, use.limit * LARGEST_RESERVED_PART);
  const before = use.limit === undefined ? 0 : use.open();
  let taken = 0;
  /** May be taken before the system is asked again. */
  let lease = 0;
  let timer: NodeJS.Timeout | undefined;

  function roomFor(): boolean {
    if (taken >= maxConnections) return false;
    if (use.limit === undefined || lease > 0) return true;
    // Sockets of ours that wait for the address of a name are counted by us but not yet by the system.
    const room = usable - Math.max(use.open(), before + taken);
    lease = room > 0 ? Math.ceil(room / 2) : 0;
    return lease > 0;
  }

  function take(): void {
    taken++;
    lease--;
  }

  function serve(): void {
    while (wants.size > 0 && roomFor()) if (wants.shift()?.()) take();
    if (wants.size > 0) timer ??= setInterval(serve, LOOK_AGAIN_MS);
    else stopLooking();
  }

  function stopLooking(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    tryTake(first) {
      if (!first && (wants.size > 0 || !roomFor())) return false;
      take();
      return true;
    },
    give() {
      taken--;
      if (wants.size > 0) serve();
    },
    want(grant) {
      let waits = true;
      const leave = wants.push(() => {
        waits = false;
        return grant();
      });
      serve();
      // Each that is closed is given to whoever waits longest.
      while (waits && holders.some((holder) => holder.closeIdle()));
      return leave;
    },
    waiting: () => wants.size,
    shortage() {
      lease = 0;
    },
    join: (holder) => void holders.push(holder),
    close: stopLooking,
  };
}

function processDescriptors(): DescriptorUse {
  const limit = descriptorLimit();
  // To count them may itself take one: where that fails there is none left.
  return { limit, open: () => openDescriptors() ?? limit ?? 0 };
}
