/** Where an answer sends the caller on: 307 and 308 repeat the call, 301, 302 and 303 become GET without a body. */
import { hopError, kindName } from "./failure.ts";
import type { Reply } from "./message.ts";

const REPEAT = new Set([307, 308]);
const BECOME_GET = new Set([301, 302, 303]);

/** Never leave for another origin. */
const PRIVATE_HEADERS = ["authorization", "proxy-authorization", "cookie", "api-key", "x-api-key", "x-ng-run-token"];

/** What of a request a redirect changes. */
export interface Redirectable {
  server: string;
  origin: string;
  path: string;
  method: "GET" | "POST";
  headers: Record<string, string>;
  body: unknown;
}

/** Sends a request, and on to where the answers point. @throws GymError NG_ERR_BAD_RESPONSE where they point on more often than allowed. */
export function followRedirects<R extends Redirectable>(first: R, options: RedirectOptions<R>): Promise<Reply> {
  // Tens of thousands wait here, and hardly one is sent on: no frame is kept for what follows.
  return options.send(first).then((reply) => (redirects(reply) ? follow(first, reply, options) : reply));
}

interface RedirectOptions<R> {
  maxRedirects: number;
  send: (request: R) => Promise<Reply>;
}

function redirects({ status }: Reply): boolean {
  return status >= 300 && status <= 399;
}

async function follow<R extends Redirectable>(first: R, answer: Reply, { maxRedirects, send }: RedirectOptions<R>): Promise<Reply> {
  let [request, reply] = [first, answer];
  for (let hops = 0; ; hops++) {
    const next = redirects(reply) ? redirected(request, reply) : undefined;
    if (next === undefined) return reply;
    if (hops === maxRedirects) {
      const facts = {
        failure_kind: `${kindName(first.server)}:bad_response`,
        boundary: first.server,
        url: first.path,
        status: reply.status,
      };
      throw hopError("NG_ERR_BAD_RESPONSE", `${first.server} sent ${first.path} on more than maxRedirects (${maxRedirects}) times`, {
        facts,
      });
    }
    request = next;
    reply = await send(request);
  }
}

/** The request to make next, undefined where the answer is final. */
function redirected<R extends Redirectable>(request: R, reply: Reply): R | undefined {
  const { location } = reply.headers;
  if (location === undefined || !(REPEAT.has(reply.status) || BECOME_GET.has(reply.status))) return undefined;
  const base = request.origin + request.path;
  if (!URL.canParse(location, base)) return undefined;
  const url = new URL(location, base);
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  const headers = { ...request.headers };
  if (url.origin !== request.origin) {
    for (const name of PRIVATE_HEADERS) delete headers[name];
  }
  const next = { ...request, origin: url.origin, path: url.pathname + url.search, headers };
  if (REPEAT.has(reply.status)) return next;
  delete next.headers["content-type"];
  return { ...next, method: "GET", body: undefined };
}
