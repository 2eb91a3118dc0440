/**
 * The environment server in front of an agent that runs whole rollouts itself: hands `/run` and `/aggregate_metrics` on and back, bodies untouched, and
 * for `/run` cookies too. A body that is an episode becomes the row that the agent knows, and its answer the episode's.
 */
import { CookieJar, type EndpointReply, type EndpointRequest, type ServerClient, TextBody } from "../../http/index.ts";
import { isEpisodeShaped } from "../../protocol/index.ts";
import { CONNECTION_HEADERS } from "../connection-headers.ts";
import { createEnvironmentEndpoint, type EnvironmentEndpoint } from "./endpoint.ts";
import { runEpisodeByRow } from "./relay-episode.ts";

/** Not handed on: what belongs to the connection, and cookies, which travel in the jar. */
const HOP_HEADERS = new Set([...CONNECTION_HEADERS, "content-encoding", "host", "accept-encoding", "cookie"]);

export interface RelayOptions {
  name: string;
  agent: string;
  client: ServerClient;
}

export function createRelay({ name, agent, client }: RelayOptions): EnvironmentEndpoint {
  return createEnvironmentEndpoint({
    name,
    className: "LegacyAgent",
    run: (request) =>
      isEpisodeShaped(request.body) ? runEpisodeByRow(request, { agent, client }) : relay(request, { agent, client, kind: "run" }),
    aggregateMetrics: (request) => relay(request, { agent, client, kind: "control" }),
  });
}

interface Hop {
  agent: string;
  client: ServerClient;
  kind: "run" | "control";
}

/** Hands a request on to the agent, and its answer back. @throws GymError when there is none. */
export async function relay(request: EndpointRequest, { agent, client, kind }: Hop): Promise<EndpointReply> {
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([key]) => !HOP_HEADERS.has(key)));
  const jar = CookieJar.fromHeader(request.headers.cookie);
  // A body that is no JSON is the agent's to refuse.
  const body = request.unread === undefined ? request.body : new TextBody(request.unread);
  const answer = await client.call(agent, { kind, path: request.path, body, headers, jar, signal: request.signal });
  const passed = Object.fromEntries(Object.entries(answer.headers).filter(([key]) => !HOP_HEADERS.has(key)));
  // Who asks for metrics opens no session with the agent.
  if (kind === "control") delete passed.vary;
  return {
    status: answer.status,
    headers: passed,
    setCookies: kind === "control" ? [] : answer.setCookies,
    ...(answer.form === "value" ? { body: answer.json() } : { body: null, text: answer.content() }),
  };
}
