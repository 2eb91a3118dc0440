/**
 * Which repeat of a row a call belongs to. A model server sees no row, so the repeat is read from what travels with the call: the rollout id
 * (prefix of the path or `x-ng-rollout-id`), and a `seed` in `metadata.extra_body` or in the request. Without any of them all repeats are equal.
 */
import { isObject } from "@ng-gym/core/protocol";
import { createDraw, type Draw } from "./draw.ts";

export interface CallDraws {
  /** For this question, whatever the repeat. */
  question: Draw;
  /** For this call of this repeat. Not for the attempt: a rollout that is run again after a failure gets the answer it would have had. */
  call: Draw;
  /** For waiting and failing: another attempt has other luck. */
  fault: Draw;
}

export interface CallSubject {
  seed: number;
  question: string;
  conversation: string;
  rolloutId: string | undefined;
  request: Readonly<Record<string, unknown>>;
}

export function drawsFor({ seed, question, conversation, rolloutId = "", request }: CallSubject): CallDraws {
  const repeat = `${withoutAttempt(rolloutId)}/${requestSeed(request)}`;
  return {
    question: createDraw(seed, question),
    call: createDraw(seed, conversation, repeat),
    fault: createDraw(seed, conversation, `${rolloutId}/${requestSeed(request)}`),
  };
}

/** Rollout ids end in `-a<n>` from the second attempt on. */
function withoutAttempt(rolloutId: string): string {
  return rolloutId.replace(/-a\d+$/, "");
}

function requestSeed(request: Readonly<Record<string, unknown>>): string {
  if (request.seed !== undefined && request.seed !== null) return String(request.seed);
  const extra = isObject(request.metadata) ? request.metadata.extra_body : undefined;
  if (typeof extra !== "string") return "";
  try {
    const body: unknown = JSON.parse(extra);
    return isObject(body) && body.seed !== undefined ? String(body.seed) : "";
  } catch {
    return "";
  }
}
