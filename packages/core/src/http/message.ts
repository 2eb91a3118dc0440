/** What crosses a hop: the call as its caller sees it, the request as its server sees it, and the reply. The same types on both transports. */
import type { CookieJar } from "./cookies.ts";

/** What a call is for: decides its default time limit and whether it may be sent again after its body was delivered. */
export type CallKind = "seed" | "model" | "tool" | "verify" | "run" | "agent" | "control";

export interface Call {
  kind: CallKind;
  path: string;
  /** Default POST. */
  method?: "GET" | "POST";
  /** A JSON value, or a `TextBody`; absent = no body. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Sent as `Cookie`, and updated with what the answer sets. */
  jar?: CookieJar;
  signal?: AbortSignal;
  /** Limit of the whole call in milliseconds, measured from the write; default by kind. 0 = none. */
  timeoutMs?: number;
  /** False: never send again once the body was delivered. Default by kind. */
  replay?: boolean;
}

/** The answer. `status` may be any HTTP status. */
export interface Reply {
  /** What is at hand: the text of a socket, or the value of a server in this process. Who hands a reply on keeps its form and spares a conversion. */
  readonly form: "text" | "value";
  status: number;
  /** Lower-case names; `set-cookie` is in `setCookies`. */
  headers: Record<string, string>;
  /** Raw `Set-Cookie` lines, in order. */
  setCookies: string[];
  /** The body as a JSON value. Throws NG_ERR_BAD_RESPONSE where it is not JSON. */
  json(): unknown;
  /** The body as it is at hand, for who hands it on without a look at it: the bytes of a socket, or text. */
  content(): string | Buffer;
  /** The body as text (bytes that are not UTF-8 become U+FFFD). */
  text(): string;
}

/** A request as a server's endpoint receives it, whichever way it came. */
export interface EndpointRequest {
  method: string;
  /** Path without query. */
  path: string;
  headers: Record<string, string>;
  /** JSON value, or undefined where there was no body. Never changed by a handler. */
  body: unknown;
  /** Set where the body could not be read as JSON: offset of the fault. */
  malformed?: { offset: number; message: string };
  /** The body as it came, where it is no JSON value: for who hands it on. */
  unread?: string;
  /** Aborts when the caller went away. */
  signal: AbortSignal;
}

/** What a handler answers. `body` is a JSON value, sent as `application/json`, or text with its own content type, or a stream of text chunks. */
export interface EndpointReply {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
  setCookies?: string[];
  /** Present: the body is this text, or the bytes of one, not a JSON value. */
  text?: string | Buffer;
  /** Present: the body is this stream (server-sent events). */
  stream?: AsyncIterable<string>;
}

/** A server as its callers see it. */
export interface Endpoint {
  handle(request: EndpointRequest): Promise<EndpointReply>;
}

/** Where a server instance can be reached. */
export interface ServerAddress {
  url: string;
  /** The server also speaks HTTP/2 without TLS on the same port (ours do, the reference's do not). */
  h2c?: boolean;
  /** Where the server runs in several processes: the address of each, in the order of their numbers. `url` then leads to any of them. */
  copies?: readonly string[];
}
