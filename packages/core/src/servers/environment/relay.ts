/**
 * The environment server in front of an agent: hands `/run` and `/aggregate_metrics` on and back, bodies untouched, and for `/run` cookies too. It lives in the
 * process that hosts the agent, so that the hop is a function call.
 */
import { z } from "zod";
import {
  CookieJar,
  type Endpoint,
  type EndpointReply,
  type EndpointRequest,
  kindName,
  type ServerClient,
  TextBody,
} from "../../http/index.ts";
import { CONNECTION_HEADERS } from "../connection-headers.ts";
import { errorReply } from "../error-reply.ts";
import { serverConfigSchema, serverRefSchema } from "../gym-server.ts";

/** Keys of a `legacy_agent` block. */
export const relayConfig = serverConfigSchema.extend({
  agent_server: serverRefSchema,
  cleanup_timeout_seconds: z.number().positive().optional(),
  max_concurrent_episodes: z.number().int().positive().nullable().optional(),
  queue_timeout_seconds: z.number().positive().nullable().optional(),
  default_episode_timeout_seconds: z.number().positive().nullable().optional(),
});

const RELAYED = new Map([
  ["/run", "run"],
  ["/aggregate_metrics", "control"],
] as const);

const HEALTH = new Set(["/", "/health", "/healthz", "/livez", "/readyz", "/docs"]);

/** Not handed on: what belongs to the connection, and cookies, which travel in the jar. */
const HOP_HEADERS = new Set([...CONNECTION_HEADERS, "content-encoding", "host", "accept-encoding", "cookie"]);

export interface RelayOptions {
  name: string;
  agent: string;
  client: ServerClient;
}

export function createRelay({ name, agent, client }: RelayOptions): Endpoint {
  async function relay(request: EndpointRequest, kind: "run" | "control"): Promise<EndpointReply> {
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
      ...(answer.form === "value" ? { body: answer.json() } : { body: null, text: answer.text() }),
    };
  }

  return {
    async handle(request) {
      if (request.method === "GET" && HEALTH.has(request.path)) return { status: 200, body: { status: "ok" } };
      const kind = RELAYED.get(request.path as "/run");
      if (kind === undefined) return { status: 404, body: { detail: "Not Found" } };
      if (request.method !== "POST") return { status: 405, body: { detail: "Method Not Allowed" }, headers: { allow: "POST" } };
      try {
        return await relay(request, kind);
      } catch (error) {
        return errorReply(error, { identity: `LegacyAgent___${name}`, name, ownKind: `${kindName(name)}:internal_error` });
      }
    },
  };
}
