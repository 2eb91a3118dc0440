/** Lines about calls that are sent again: the first of a target at once, then one now and then with the count of those between. */
import { maskText } from "../../errors/index.ts";
import type { RetryNotice } from "../../http/index.ts";

/** Shortest time between two lines about one target. */
export const RETRY_LOG_MS = 5_000;
/** Longest text of an endpoint in a line. */
const SAID_LIMIT_CHARS = 200;

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
    const end = notice.giveUpAfterMs === undefined ? "" : `, given up ${Math.round(notice.giveUpAfterMs / 1000)} s after the first`;
    log(
      notice.server,
      `${notice.server} at ${notice.url}: ${notice.reason.replaceAll("_", " ")}${said(notice.said)}; ${again}${end}${others}`,
    );
  };
}

/** What the endpoint said, as one short line. */
function said(text = ""): string {
  const line = maskText(text).replace(/\s+/g, " ").trim();
  if (line === "") return "";
  return ` (${line.length <= SAID_LIMIT_CHARS ? line : `${line.slice(0, SAID_LIMIT_CHARS)}…`})`;
}
