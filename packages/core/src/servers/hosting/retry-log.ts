/** Lines about calls that are sent again: the first of a target at once, then one now and then with the count of those between. */
import type { RetryNotice } from "../../http/index.ts";

/** Shortest time between two lines about one target. */
export const RETRY_LOG_MS = 5_000;

export function createRetryLog(
  log: (server: string, line: string) => void,
  now: () => number = () => performance.now(),
): (notice: RetryNotice) => void {
  const targets = new Map<string, { next: number; untold: number }>();
  return (notice) => {
    const target = targets.get(notice.server) ?? { next: Number.NEGATIVE_INFINITY, untold: 0 };
    targets.set(notice.server, target);
    if (now() < target.next) {
      target.untold++;
      return;
    }
    const others = target.untold === 0 ? "" : ` (and ${target.untold} more calls waited since the last line)`;
    target.next = now() + RETRY_LOG_MS;
    target.untold = 0;
    const again = `try ${notice.attempt + 1} in ${(notice.delayMs / 1000).toFixed(1)} s`;
    log(notice.server, `${notice.server} at ${notice.url}: ${notice.reason.replaceAll("_", " ")}; ${again}${others}`);
  };
}
