/** Calls of one episode to one server: its cookies are kept and sent again, a refused call is an error, an answer is checked before it is believed. */
import { badResponse, type CallKind, CookieJar, type Reply, raiseForStatus, type ServerClient } from "../../http/index.ts";
import type { Parser } from "../../protocol/index.ts";

export interface DeskOptions {
  client: ServerClient;
  server: string;
  /** Correlates the calls with the rollout. */
  rolloutId: string;
  signal: AbortSignal;
}

export interface Desk {
  readonly server: string;
  /** Cookies of the server; those of a refused call are not taken. */
  readonly jar: CookieJar;
  /** @throws GymError for a status of 400 or more, and when there is no answer. */
  post(path: string, body: unknown, options: { kind: CallKind; signal?: AbortSignal }): Promise<Reply>;
}

export function createDesk({ client, server, rolloutId, signal }: DeskOptions): Desk {
  const jar = new CookieJar();
  return {
    server,
    jar,
    async post(path, body, options) {
      const headers = { "x-ng-rollout-id": rolloutId };
      const reply = await client.call(server, { path, body, headers, signal, ...options, jar: jar.only(() => true) });
      raiseForStatus(reply, server, path);
      jar.take(reply.setCookies);
      return reply;
    },
  };
}

/** @throws GymError NG_ERR_BAD_RESPONSE for an answer that is not what the route promises. */
export function checked<T>(reply: Reply, parse: Parser<T>, at: { server: string; path: string }): T {
  const result = parse(reply.json());
  if (result.ok) return result.value;
  const issues = result.issues.slice(0, 5).map(({ loc, msg }) => `${loc.slice(1).join(".") || "the body"}: ${msg}`);
  throw badResponse({ ...at, status: reply.status }, `a body that is none of its route (${issues.join("; ")})`);
}
