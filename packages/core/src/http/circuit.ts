/**
 * Stops calling an endpoint whose answer says that every further call will be refused too (a key that is not valid, a quota that is spent): each
 * would cost time and could lock the key. Calls then fail at once with the refusal that was had. After a pause one call is let through as a
 * trial; it closes the circuit when it succeeds, and doubles the pause when it does not, so that a key that was changed heals without a restart.
 */
import { printable } from "../errors/index.ts";
import { statusError } from "./failure.ts";
import type { Reply } from "./message.ts";
import type { CircuitLoad } from "./target-load.ts";

export const FIRST_PAUSE_MS = 60_000;
export const LONGEST_PAUSE_MS = 600_000;
const REASON_LIMIT_CHARS = 200;

/** When a target has a circuit, and who is told of it. */
export interface CircuitRule {
  /** Does this answer speak for all further calls? */
  opensOn: (reply: Reply) => boolean;
  /** Told when it opens and when it closes. */
  onChange?: (load: CircuitLoad) => void;
}

export interface CircuitOptions extends CircuitRule {
  /** Of the endpoint: named in errors. */
  name: string;
  now: () => number;
}

export interface Circuit {
  /** @throws GymError NG_ERR_UPSTREAM_STATUS holding the refusal that was had, while calls may not go out. */
  check(url: string): void;
  /** The same for the moment of sending: where a trial is due, this call is it. */
  pass(url: string): void;
  /** Takes note of an answer. */
  saw(reply: Reply): void;
  load(): CircuitLoad;
}

interface Opened {
  reply: Reply;
  since: number;
  nextTrial: number;
  pauseMs: number;
  onTrial: boolean;
}

export function createCircuit({ name, now, opensOn, onChange }: CircuitOptions): Circuit {
  let opened: Opened | undefined;

  function check(url: string): void {
    if (opened !== undefined && now() < opened.nextTrial) throw refusal(opened, url);
  }

  function refusal({ reply, since, nextTrial }: Opened, url: string): Error {
    const [at, next] = [since, nextTrial].map((time) => new Date(time).toISOString());
    return statusError(reply, {
      server: name,
      path: url,
      explanation: `Not sent: the key of ${name} was refused at ${at} and is tried again at ${next}.`,
    });
  }

  function load(): CircuitLoad {
    if (opened === undefined) return { state: "closed" };
    const { reply, since, nextTrial, onTrial } = opened;
    const reason = printable(`${reply.status}: ${reply.text().slice(0, REASON_LIMIT_CHARS)}`);
    return { state: onTrial ? "half-open" : "open", reason, since, nextTrial };
  }

  return {
    check,
    load,
    pass(url) {
      check(url);
      if (opened === undefined) return;
      opened.nextTrial = now() + opened.pauseMs;
      opened.onTrial = true;
    },
    saw(reply) {
      if (reply.status < 400 && opened !== undefined) {
        opened = undefined;
        onChange?.(load());
      }
      if (!opensOn(reply)) return;
      if (opened === undefined) {
        opened = { reply, since: now(), nextTrial: now() + FIRST_PAUSE_MS, pauseMs: FIRST_PAUSE_MS, onTrial: false };
        onChange?.(load());
      } else if (opened.onTrial) {
        // Only a trial tells anything new: calls that were under way when the key was refused must not lengthen the pause.
        const pauseMs = Math.min(opened.pauseMs * 2, LONGEST_PAUSE_MS);
        opened = { reply, since: opened.since, nextTrial: now() + pauseMs, pauseMs, onTrial: false };
      }
    },
  };
}
