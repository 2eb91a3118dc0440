/** How a call becomes a request: its address, headers and limits. The same for both transports; only a socket wants the body as text. */
import { jsonBody } from "../json/index.ts";
import { timeLimitOf } from "./call-kind.ts";
import type { ExchangeRequest } from "./exchange.ts";
import type { ClientLimits } from "./limits.ts";
import type { Call } from "./message.ts";
import type { Target } from "./target.ts";
import { TextBody } from "./text-body.ts";

export interface RequestParts {
  server: string;
  target: Target;
  call: Call;
  limits: ClientLimits;
  /** Headers that go with every call; they win over the call's own, which may be handed on. */
  outgoing: Record<string, string> | undefined;
}

export function requestOf({ server, target, call, limits, outgoing }: RequestParts): Omit<ExchangeRequest, "body"> & { body: unknown } {
  const { timeoutMs, timeoutName } = timeLimitOf(call, limits);
  return {
    server,
    origin: target.origin,
    path: target.path,
    method: call.method ?? "POST",
    headers: headersOf(call, outgoing),
    body: call.body,
    timeoutMs,
    timeoutName,
    maxResponseBytes: limits.maxResponseBytes,
    signal: call.signal,
  };
}

/** What goes over a socket. */
export function bodyContent(body: unknown): string | Buffer | undefined {
  if (body === undefined) return undefined;
  return body instanceof TextBody ? body.text : jsonBody(body);
}

function headersOf(call: Call, outgoing: Record<string, string> | undefined): Record<string, string> {
  const headers: Record<string, string> = { accept: "*/*" };
  if (call.body !== undefined && !(call.body instanceof TextBody)) headers["content-type"] = "application/json";
  if (call.headers) for (const [name, value] of Object.entries(call.headers)) headers[name.toLowerCase()] = value;
  if (outgoing) Object.assign(headers, outgoing);
  const cookie = call.jar?.header();
  if (cookie !== undefined) headers.cookie = cookie;
  return headers;
}
