/**
 * A `GymServer` as an `Endpoint`: what a request meets, outermost first: error wrapper, rollout prefix, session, route, validation, handler.
 * The same for a request from a socket and for a function call.
 */
import { isGymError } from "../errors/index.ts";
import { CookieJar, type EndpointReply, type EndpointRequest, parseCookieHeader } from "../http/index.ts";
import { type FieldIssue, jsonInvalidIssue, missingBodyIssue } from "../protocol/index.ts";
import { CONNECTION_HEADERS } from "./connection-headers.ts";
import { logDefect } from "./defect-log.ts";
import { errorReply, HttpError, refusal } from "./error-reply.ts";
import type { GymServer } from "./gym-server.ts";
import { HEALTH_PATHS, type RoutedEndpoint } from "./observed-endpoint.ts";
import { type PrefixedPath, splitRolloutPrefix, validRolloutId } from "./rollout-prefix.ts";
import { isReply, type Route } from "./route.ts";
import { createSessionSigner, type Session } from "./session.ts";

export interface EndpointOptions {
  sessionSecret: string;
  /** The number of this process, where several run the server. */
  copy?: number | undefined;
}

export function createEndpoint(server: GymServer, options: EndpointOptions): RoutedEndpoint {
  const signer = createSessionSigner(server.identity, options.sessionSecret, options.copy);
  const routes = routeTable(server);

  async function answer(request: EndpointRequest, session: Session): Promise<EndpointReply> {
    const target = splitRolloutPrefix(request.path);
    if (target.prefix !== "" && !server.allowsPrefix(target)) return notFound();
    const methods = routes.get(target.path);
    if (methods === undefined) return withoutSlash(request, target, routes) ?? notFound();
    const route = methods.get(request.method);
    if (route === undefined)
      return { status: 405, body: { detail: "Method Not Allowed" }, headers: { allow: [...methods.keys()].join(", ") } };

    let body = request.body;
    if (route.parse) {
      if (request.malformed) return refused([jsonInvalidIssue(request.malformed.offset, request.malformed.message)]);
      const checked = body === undefined ? { ok: false as const, issues: [missingBodyIssue()] } : route.parse(body);
      if (!checked.ok) return refused(checked.issues);
      body = checked.value;
    }
    const cookies = CookieJar.fromHeader(withoutOwn(request.headers.cookie, signer.cookieName));
    const setCookies: string[] = [];
    const context = {
      session,
      jar: cookies,
      headers: request.headers,
      signal: request.signal,
      rolloutId: target.rolloutId ?? validRolloutId(request.headers["x-ng-rollout-id"]),
      prefix: target.prefix,
      setCookies,
    };
    const result = await route.handler(body, context);
    const reply = isReply(result) ? result : { status: 200, body: result ?? null };
    return setCookies.length > 0 ? { ...reply, setCookies: [...setCookies, ...(reply.setCookies ?? [])] } : reply;
  }

  return {
    routeOf(path) {
      const bare = splitRolloutPrefix(path).path;
      return routes.has(bare) ? bare : undefined;
    },
    async handle(request) {
      const received = parseCookieHeader(request.headers.cookie).get(signer.cookieName);
      const session = signer.open(received);
      let reply: EndpointReply;
      try {
        reply = await answer(request, session);
      } catch (error) {
        if (!(error instanceof HttpError)) {
          if (!isGymError(error)) logDefect(server, request, error);
          const route = routes.get(splitRolloutPrefix(request.path).path)?.get(request.method);
          return errorReply(error, { identity: server.identity, name: server.name, ownKind: route?.failureKind ?? server.failureKind() });
        }
        reply = refusal(error, server.name);
      }
      const setCookies = [...(reply.setCookies ?? []), signer.line(session, session.isNew ? undefined : received)];
      return { ...reply, headers: { ...sendable(reply.headers), vary: "Cookie" }, setCookies: setCookies.map(sendableText) };
    },
  };
}

type RouteTable = Map<string, Map<string, Route>>;

function routeTable(server: GymServer): RouteTable {
  const table: RouteTable = new Map();
  const add = (route: Route): void => {
    const methods = table.get(route.path) ?? new Map<string, Route>();
    methods.set(route.method, route);
    table.set(route.path, methods);
  };
  for (const path of HEALTH_PATHS) add({ method: "GET", path, handler: () => ({ status: "ok" }) });
  add({
    method: "GET",
    path: "/docs",
    handler: () => ({
      server: server.name,
      routes: [...table].flatMap(([path, methods]) => [...methods.keys()].map((m) => `${m} ${path}`)),
    }),
  });
  for (const route of server.routes()) add(route);
  return table;
}

function notFound(): EndpointReply {
  return { status: 404, body: { detail: "Not Found" } };
}

/** A trailing slash is answered with the way to the path without it. */
function withoutSlash({ headers }: EndpointRequest, { path, prefix }: PrefixedPath, routes: RouteTable): EndpointReply | undefined {
  const bare = path.replace(/\/$/, "");
  if (bare === path || !routes.has(bare)) return undefined;
  const origin = headers.host === undefined ? "" : `http://${headers.host}`;
  return { status: 307, body: null, text: "", headers: { location: origin + prefix + bare } };
}

function refused(issues: readonly FieldIssue[]): EndpointReply {
  return { status: 422, body: { detail: issues } };
}

const UNSENDABLE = /[^\t\x20-\x7e\xa0-\xff]/g;

/** A header is text of one line: what an upstream put into it cannot end it and begin another. */
function sendableText(value: string): string {
  return value.replace(UNSENDABLE, "");
}

/** Lower-case names, values of one line, nothing that belongs to the connection: the same answer on every transport. */
function sendable(headers: Record<string, string> | undefined): Record<string, string> {
  const clean: Record<string, string> = {};
  if (headers === undefined) return clean;
  for (const key of Object.keys(headers)) {
    const name = key.toLowerCase();
    if (!CONNECTION_HEADERS.has(name)) clean[name] = sendableText(String(headers[key]));
  }
  return clean;
}

/** The `Cookie` header without this server's own session cookie: a handler hands on only what is meant for others. */
function withoutOwn(header: string | undefined, own: string): string | undefined {
  if (header === undefined || !header.includes(own)) return header;
  return header
    .split(";")
    .filter((part) => part.slice(0, part.indexOf("=")).trim() !== own)
    .join(";");
}
