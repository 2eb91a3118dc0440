/**
 * Stops calling an endpoint that refused the key or says that the quota is spent: each further call would cost time and could lock the key.
 * Calls then fail at once with the refusal that was had. After a pause one call is let through as a trial; it closes the latch again when it
 * succeeds, and doubles the pause when it does not, so that a rotated key heals without a restart.
 */
import type { Reply } from "@ng-gym/core/http";

export const FIRST_PAUSE_MS = 60_000;
export const LONGEST_PAUSE_MS = 600_000;

export interface LatchState {
  /** What the endpoint answered. */
  reply: Reply;
  /** When the key was refused first, in milliseconds since 1970. */
  since: number;
  /** When the next trial is let through. */
  nextTrial: number;
}

export interface KeyLatch {
  /** The refusal that stands in for an answer, undefined when the call may go out (also as the trial). */
  blocked(): LatchState | undefined;
  /** Takes note of an answer. */
  saw(reply: Reply): void;
  state(): LatchState | undefined;
}

export function createKeyLatch(now: () => number = Date.now): KeyLatch {
  let latched: (LatchState & { pauseMs: number; onTrial: boolean }) | undefined;
  return {
    state: () => latched,
    blocked() {
      if (latched === undefined || now() < latched.nextTrial) return latched;
      latched.nextTrial = now() + latched.pauseMs;
      latched.onTrial = true;
      return undefined;
    },
    saw(reply) {
      if (reply.status < 400) latched = undefined;
      if (!isKeyRefusal(reply)) return;
      if (latched === undefined) {
        latched = { reply, since: now(), nextTrial: now() + FIRST_PAUSE_MS, pauseMs: FIRST_PAUSE_MS, onTrial: false };
      } else if (latched.onTrial) {
        // Only a trial tells anything new: calls that were under way when the key was refused must not lengthen the pause.
        const pauseMs = Math.min(latched.pauseMs * 2, LONGEST_PAUSE_MS);
        latched = { reply, since: latched.since, nextTrial: now() + pauseMs, pauseMs, onTrial: false };
      }
    },
  };
}

const SPENT = new Set(["budget_exceeded", "insufficient_quota"]);
const BAD_KEY = new Set(["invalid_api_key", "invalid_api_token", "authentication_error"]);

/** Is this about the key itself, so that every other call would get the same answer? A bare 401 or 403 is not: it may be about one model or route. */
export function isKeyRefusal(reply: Pick<Reply, "status" | "text">): boolean {
  if (reply.status === 429) return codes(reply.text()).some((code) => SPENT.has(code));
  if (reply.status !== 401 && reply.status !== 403) return false;
  const body = reply.text();
  return codes(body).some((code) => BAD_KEY.has(code)) || /(invalid|incorrect) api key/i.test(body);
}

/** `error.code`, `error.type`, or `error` itself, in lower case. */
function codes(body: string): string[] {
  try {
    const error: unknown = (JSON.parse(body) as { error?: unknown } | null)?.error;
    const candidates =
      typeof error === "object" && error !== null
        ? [(error as Record<string, unknown>).code, (error as Record<string, unknown>).type]
        : [error];
    return candidates.filter((candidate) => typeof candidate === "string").map((candidate) => candidate.toLowerCase());
  } catch {
    return [];
  }
}
