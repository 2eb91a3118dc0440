/** Headers that belong to a connection and its framing, not to a message: never handed on, never set by a handler. HTTP/2 forbids most of them. */
export const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "proxy-connection",
  "keep-alive",
  "content-length",
  "transfer-encoding",
  "te",
  "trailer",
  "upgrade",
  "http2-settings",
]);
