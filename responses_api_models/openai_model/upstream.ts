/** Calls of one OpenAI-compatible endpoint: address, key, gate, latch, and errors that say what to do. Retries are the client's. */

import { GymError } from "@ng-gym/core/errors";
import { type Reply, raiseForStatus, type ServerClient } from "@ng-gym/core/http";
import type { Log } from "@ng-gym/core/servers";
import { createSemaphore } from "@ng-gym/core/work";
import type { OpenAIModelConfig } from "./config.ts";
import { createKeyLatch, FIRST_PAUSE_MS, type KeyLatch, type LatchState } from "./key-latch.ts";

export type UpstreamRoute = "/responses" | "/chat/completions";

export interface Upstream {
  /**
   * The JSON value of the endpoint's answer.
   * @throws GymError NG_ERR_UPSTREAM_STATUS, NG_ERR_BAD_RESPONSE, or what the client throws when no answer can be had.
   */
  post(route: UpstreamRoute, body: unknown, signal: AbortSignal): Promise<unknown>;
}

export interface UpstreamOptions {
  /** Name of the model server: labels the endpoint in errors and failure kinds. */
  name: string;
  config: OpenAIModelConfig;
  client: ServerClient;
  log: Log;
  latch?: KeyLatch;
}

export function createUpstream({ name, config, client, log, latch = createKeyLatch() }: UpstreamOptions): Upstream {
  const base = config.openai_base_url.replace(/\/+$/, "");
  const shown = base.replace(/\/\/[^/@]*@/, "//");
  const headers = requestHeaders(config);
  const slots = config.max_concurrent_requests;
  // Waiting here is bounded by the callers: by how many there are, and by their own time limit.
  const gate = slots == null ? undefined : createSemaphore({ name: `${name}: max_concurrent_requests`, slots });

  async function send(route: UpstreamRoute, body: unknown, signal: AbortSignal): Promise<Reply> {
    const blocked = latch.blocked();
    if (blocked !== undefined) throw latchedError(name, route, blocked);
    const reply = await client.fetch(
      { name, url: base + route },
      {
        kind: "model",
        path: route,
        body,
        headers,
        signal,
        maxAttempts: config.max_http_attempts ?? undefined,
        retryStatuses: config.retry_statuses,
      },
    );
    const before = latch.state();
    latch.saw(reply);
    if (before === undefined && latch.state() !== undefined) {
      log(
        `${name}: ${shown} refused the key with ${reply.status}; calls fail at once, one is tried again after ${FIRST_PAUSE_MS / 1000} s`,
      );
    } else if (before !== undefined && latch.state() === undefined) log(`${name}: the key works again`);
    return reply;
  }

  return {
    async post(route, body, signal) {
      const reply = await (gate === undefined ? send(route, body, signal) : gate.run(() => send(route, body, signal), signal));
      if (route === "/responses" && (reply.status === 404 || reply.status === 405))
        throw noResponsesRoute(reply, { name, url: shown + route });
      return raiseForStatus(reply, name, shown + route).json();
    },
  };
}

function requestHeaders(config: OpenAIModelConfig): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [key, value] of Object.entries(config.openai_default_headers)) headers[key.toLowerCase()] = value;
  headers.authorization = `Bearer ${config.openai_api_key.trim()}`;
  return headers;
}

/** The error of a refusal by status, with a sentence of ours in front. The wire still shows the endpoint's own body. */
function explained(reply: Reply, place: { name: string; url: string }, explanation: string): GymError {
  try {
    raiseForStatus(reply, place.name, place.url);
  } catch (error) {
    if (error instanceof GymError) {
      const message = `${explanation} ${error.message}`;
      return new GymError(error.code, message, { details: { ...error.details, message }, cause: error });
    }
  }
  throw new Error("explained() is for replies with an error status");
}

function noResponsesRoute(reply: Reply, place: { name: string; url: string }): GymError {
  return explained(
    reply,
    place,
    `The endpoint has no route for ${place.url}. If it only offers /chat/completions, serve the model with an engine that has the Responses API ` +
      "(recent vLLM, for example); otherwise check openai_base_url (it ends in /v1 at most endpoints) and openai_model.",
  );
}

function latchedError(name: string, route: UpstreamRoute, state: LatchState): GymError {
  const since = new Date(state.since).toISOString();
  const next = new Date(state.nextTrial).toISOString();
  return explained(
    state.reply,
    { name, url: route },
    `Not sent: the key of ${name} was refused at ${since} and is tried again at ${next}.`,
  );
}
