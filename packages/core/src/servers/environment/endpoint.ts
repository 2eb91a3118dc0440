/** What all environment servers answer alike: liveness, paths and methods that they do not have, errors. They have no sessions, so they set no cookie. */
import type { EndpointReply, EndpointRequest } from "../../http/index.ts";
import { jsonInvalidIssue, missingBodyIssue, type Parser } from "../../protocol/index.ts";
import { errorReply, HttpError, internalKind } from "../error-reply.ts";
import type { RoutedEndpoint } from "../observed-endpoint.ts";

export type EnvironmentRoute = (request: EndpointRequest) => Promise<EndpointReply>;

export interface EnvironmentEndpointOptions {
  name: string;
  /** As errors name the class of the server. */
  className: string;
  run: EnvironmentRoute;
  aggregateMetrics: EnvironmentRoute;
}

/** An endpoint that may have something to finish when its host stops. */
export interface EnvironmentEndpoint extends RoutedEndpoint {
  /** Episodes that wait for their turn. */
  queued?(): number;
  stop?(): Promise<void>;
}

const HEALTH: ReadonlySet<string> = new Set(["/", "/health", "/healthz", "/livez", "/readyz", "/docs"]);

export function createEnvironmentEndpoint({ name, className, run, aggregateMetrics }: EnvironmentEndpointOptions): EnvironmentEndpoint {
  const routes = new Map([
    ["/run", run],
    ["/aggregate_metrics", aggregateMetrics],
  ]);
  return {
    routeOf: (path) => (routes.has(path) ? path : undefined),
    async handle(request) {
      if (request.method === "GET" && HEALTH.has(request.path)) return { status: 200, body: { status: "ok" } };
      const route = routes.get(request.path);
      if (route === undefined) return { status: 404, body: { detail: "Not Found" } };
      if (request.method !== "POST") return { status: 405, body: { detail: "Method Not Allowed" }, headers: { allow: "POST" } };
      try {
        return await route(request);
      } catch (error) {
        if (error instanceof HttpError) return { status: error.status, body: { detail: error.detail } };
        return errorReply(error, { identity: `${className}___${name}`, name, ownKind: internalKind(name) });
      }
    },
  };
}

/** The body, checked. @throws HttpError 422 */
export function parsedBody<T>({ malformed, body }: EndpointRequest, parse: Parser<T>): T {
  if (malformed !== undefined) throw new HttpError(422, [jsonInvalidIssue(malformed.offset, malformed.message)]);
  const checked = body === undefined ? { ok: false as const, issues: [missingBodyIssue()] } : parse(body);
  if (!checked.ok) throw new HttpError(422, checked.issues);
  return checked.value;
}
