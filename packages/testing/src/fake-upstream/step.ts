/** One scripted answer and how it goes over the wire. The form of a step is that of the `wire` goldens, with a few more ways to fail. */
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Outcome } from "./request-log.ts";

export interface Step {
  /** Default 200. */
  status?: number;
  /** At most one body: a JSON value, a text, bytes, or the frames of an event stream (`data: ...`, without the blank line). */
  json?: unknown;
  text?: string;
  b64?: string;
  sse?: readonly string[];
  /** Content type; default fits the body. */
  type?: string;
  headers?: readonly (readonly [string, string])[];
  /** Seconds to wait before the answer. */
  delay?: number;
  /** Waits for the next `release()`. */
  hold?: true;
  /** Closes the connection without an answer. */
  drop?: true;
  /** Announces more bytes than it sends, then closes. */
  cut?: true;
  /** Resets the connection (RST). */
  reset?: true;
  /** Never answers. */
  hang?: true;
}

/** Path -> steps in order, the last one repeats. Paths stand without a rollout prefix. */
export type Scripts = Record<string, readonly Step[]>;

/** What a cut answer announces beyond what it sends. */
const MISSING_BYTES = 1000;
const ROLLOUT_PREFIX = /^\/ng-rollout\/[^/]+(?:\/training-token-capture)?(?=\/)/;

/** The path of a request as scripts name it: no query, no rollout prefix. */
export function scriptPath(url: string): string {
  return (url.split("?")[0] ?? "").replace(ROLLOUT_PREFIX, "");
}

/** Plays the step on a response; resolves with what became of it. `signal` aborts when the caller leaves. */
export async function playStep(step: Step, response: ServerResponse, signal: AbortSignal): Promise<Outcome> {
  if (step.delay !== undefined) await sleep(step.delay * 1000, undefined, { signal }).catch(() => undefined);
  if (step.hang === true) await aborted(signal);
  if (signal.aborted) return "cancelled";
  if (step.reset === true) {
    response.req.socket.resetAndDestroy();
    return "reset";
  }
  if (step.drop === true) {
    response.req.socket.destroy();
    return "dropped";
  }
  const body = bodyOf(step);
  const length = body.length + (step.cut === true ? MISSING_BYTES : 0);
  const headers = step.headers ?? [];
  response.writeHead(step.status ?? 200, [
    ...headers.flat(),
    "content-type",
    typeOf(step),
    ...(step.sse === undefined ? ["content-length", String(length)] : []),
  ]);
  if (step.cut !== true) return finish(response, body);
  await new Promise<void>((resolve) => response.write(body, () => resolve()));
  response.req.socket.destroy();
  return "cut";
}

function finish(response: ServerResponse, body: Buffer): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  response.once("finish", () => resolve("answered"));
  response.once("close", () => resolve(response.writableFinished ? "answered" : "cancelled"));
  response.end(body);
  return promise;
}

function bodyOf(step: Step): Buffer {
  if (step.sse !== undefined) return Buffer.from(step.sse.map((frame) => `${frame}\n\n`).join(""));
  if (step.b64 !== undefined) return Buffer.from(step.b64, "base64");
  return Buffer.from(step.text ?? (step.json === undefined ? "" : JSON.stringify(step.json)));
}

function typeOf(step: Step): string {
  if (step.type !== undefined) return step.type;
  if (step.sse !== undefined) return "text/event-stream";
  return step.json === undefined ? "text/plain" : "application/json";
}

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}
