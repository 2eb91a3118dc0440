/** Where an answer sends the caller on: 307 and 308 repeat the call, 301, 302 and 303 become GET without a body. */
import type { ExchangeRequest } from "./exchange.ts";
import type { Reply } from "./message.ts";

const REPEAT = new Set([307, 308]);
const BECOME_GET = new Set([301, 302, 303]);

/** The request to make next, undefined where the answer is final. Authorization and cookies never leave for another origin. */
export function redirected(request: ExchangeRequest, reply: Reply): ExchangeRequest | undefined {
  const location = reply.headers.location;
  if (location === undefined || !(REPEAT.has(reply.status) || BECOME_GET.has(reply.status))) return undefined;
  const base = request.origin + request.path;
  if (!URL.canParse(location, base)) return undefined;
  const url = new URL(location, base);
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  const headers = { ...request.headers };
  if (url.origin !== request.origin) {
    delete headers.authorization;
    delete headers.cookie;
  }
  const next = { ...request, origin: url.origin, path: url.pathname + url.search, headers };
  if (REPEAT.has(reply.status)) return next;
  delete next.headers["content-type"];
  return { ...next, method: "GET", body: undefined };
}
