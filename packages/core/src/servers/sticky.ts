/**
 * An endpoint that runs in several processes, each with its own memory. A request with the session of another copy is handed over to that copy, so that
 * state is always found, whichever copy a caller's connection led to. A copy that cannot be reached has taken its sessions with it: the caller learns
 * that, because a new session in its place would be scored.
 */
import { isGymError } from "../errors/index.ts";
import { type Endpoint, type EndpointReply, type EndpointRequest, type PassOn, parseCookieHeader } from "../http/index.ts";
import { CONNECTION_HEADERS } from "./connection-headers.ts";
import { errorReply, HttpError, refusal } from "./error-reply.ts";
import type { GymServer } from "./gym-server.ts";
import { createSessionSigner } from "./session.ts";

export interface StickyOptions {
  server: Pick<GymServer, "name" | "identity" | "failureKind">;
  sessionSecret: string;
  /** The number of this process. */
  copy: number;
  /** Addresses of all of them, in the order of their numbers. */
  copies: readonly string[];
  passOn: PassOn;
}

/** Says that a request was handed over: it stays where it is. */
const HANDED_OVER = "x-ng-handed-over";

export function sticky(endpoint: Endpoint, { server, sessionSecret, copy, copies, passOn }: StickyOptions): Endpoint {
  const signer = createSessionSigner(server.identity, sessionSecret, copy);

  function homeOf({ headers }: EndpointRequest): string | undefined {
    if (headers.cookie === undefined) return undefined;
    const home = signer.copyOf(parseCookieHeader(headers.cookie).get(signer.cookieName));
    return home === undefined || home === copy ? undefined : copies[home];
  }

  async function handOver(origin: string, request: EndpointRequest): Promise<EndpointReply> {
    try {
      return await passOn.send({ server: server.name, origin }, { ...request, headers: handedOn(request.headers) });
    } catch (error) {
      if (!isGymError(error, "NG_ERR_UNREACHABLE"))
        return errorReply(error, { identity: server.identity, name: server.name, ownKind: server.failureKind() });
      const what = `the process at ${origin} that held this session cannot be reached`;
      return refusal(
        new HttpError(410, `${server.name}: ${what}; its state is gone, so the rollout has to begin anew`, "session_lost"),
        server.name,
      );
    }
  }

  return {
    handle(request) {
      if (HANDED_OVER in request.headers) {
        const { [HANDED_OVER]: _, ...headers } = request.headers;
        return endpoint.handle({ ...request, headers });
      }
      const home = homeOf(request);
      return home === undefined ? endpoint.handle(request) : handOver(home, request);
    },
  };
}

function handedOn(headers: Record<string, string>): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !CONNECTION_HEADERS.has(name) && name !== "expect");
  return { ...Object.fromEntries(kept), [HANDED_OVER]: "1" };
}
