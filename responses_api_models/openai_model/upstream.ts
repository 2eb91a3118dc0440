/** Calls of one OpenAI-compatible endpoint: address, key, limit, circuit, and errors that say what to do. How they are made is the client's. */

import type { GymError } from "@ng-gym/core/errors";
import { type CircuitLoad, isKeyRefusal, type Reply, raiseForStatus, type ServerClient, statusError } from "@ng-gym/core/http";
import { type Log, type RequestContext, replicaOf } from "@ng-gym/core/servers";
import type { OpenAIModelConfig } from "./config.ts";

export type UpstreamRoute = "/responses" | "/chat/completions";

export interface Upstream {
  /**
   * The JSON value of the endpoint's answer.
   * @throws GymError NG_ERR_UPSTREAM_STATUS, NG_ERR_BAD_RESPONSE, or what the client throws when no answer can be had.
   */
  post(route: UpstreamRoute, body: unknown, context: UpstreamContext): Promise<unknown>;
}

export type UpstreamContext = Pick<RequestContext, "session" | "signal">;

export interface UpstreamOptions {
  /** Name of the model server: labels the endpoint in errors and failure kinds. */
  name: string;
  config: OpenAIModelConfig;
  client: ServerClient;
  log: Log;
}

export function createUpstream({ name, config, client, log }: UpstreamOptions): Upstream {
  const bases = [config.openai_base_url].flat().map((base) => base.replace(/\/+$/, ""));
  const shown = bases.map((base) => base.replace(/\/\/[^/@]*@/, "//"));
  const headers = requestHeaders(config);
  const concurrency = config.max_concurrent_requests ?? undefined;
  const circuit = { opensOn: isKeyRefusal, onChange: (load: CircuitLoad) => log(circuitLine({ name, shown: shown.join(", "), load })) };

  return {
    async post(route, body, { session, signal }) {
      const replica = replicaOf(session.id, bases.length);
      const place = shown[replica] + route;
      const reply = await client.fetch(
        { name, shownAs: `${name} endpoint`, url: bases[replica] + route, concurrency, circuit },
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
      if (route === "/responses" && (reply.status === 404 || reply.status === 405)) throw noResponsesRoute(reply, name, place);
      return raiseForStatus(reply, name, place).json();
    },
  };
}

function circuitLine({ name, shown, load }: { name: string; shown: string; load: CircuitLoad }): string {
  if (load.state === "closed") return `${name}: the key works again`;
  const pause = Math.round(((load.nextTrial ?? 0) - (load.since ?? 0)) / 1000);
  return `${name}: ${shown} refused the key (${load.reason}); calls fail at once, one is tried again after ${pause} s`;
}

function requestHeaders(config: OpenAIModelConfig): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [key, value] of Object.entries(config.openai_default_headers)) headers[key.toLowerCase()] = value;
  headers.authorization = `Bearer ${config.openai_api_key.trim()}`;
  return headers;
}

function noResponsesRoute(reply: Reply, name: string, url: string): GymError {
  const explanation =
    `The endpoint has no route for ${url}. If it only offers /chat/completions, serve the model with an engine that has the Responses API ` +
    "(recent vLLM, for example); otherwise check openai_base_url (it ends in /v1 at most endpoints) and openai_model.";
  return statusError(reply, { server: name, path: url, explanation });
}
