/** Turns what a transport throws into one of four kinds of failure, each with its own budget in the retry table. */

export type TransportFailure = "unreachable" | "peer_drop" | "timeout" | "local_resource";

const BY_CODE: Record<string, TransportFailure> = {
  ECONNREFUSED: "unreachable",
  ENOTFOUND: "unreachable",
  EAI_AGAIN: "unreachable",
  EAI_FAIL: "unreachable",
  EHOSTUNREACH: "unreachable",
  ENETUNREACH: "unreachable",
  UND_ERR_CONNECT_TIMEOUT: "unreachable",
  NG_H2_REFUSED: "unreachable",
  ECONNRESET: "peer_drop",
  ECONNABORTED: "peer_drop",
  EPIPE: "peer_drop",
  UND_ERR_SOCKET: "peer_drop",
  UND_ERR_INFO: "peer_drop",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "peer_drop",
  UND_ERR_DESTROYED: "peer_drop",
  UND_ERR_CLOSED: "peer_drop",
  ERR_HTTP2_STREAM_CANCEL: "peer_drop",
  ERR_HTTP2_STREAM_ERROR: "peer_drop",
  ERR_HTTP2_SESSION_ERROR: "peer_drop",
  ERR_HTTP2_GOAWAY_SESSION: "peer_drop",
  ERR_HTTP2_INVALID_SESSION: "peer_drop",
  ERR_STREAM_PREMATURE_CLOSE: "peer_drop",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_BODY_TIMEOUT: "timeout",
  ETIMEDOUT: "timeout",
  EMFILE: "local_resource",
  ENFILE: "local_resource",
  ENOBUFS: "local_resource",
  ENOMEM: "local_resource",
  EADDRNOTAVAIL: "local_resource",
};

export const FAILURE_KIND: Record<TransportFailure, string> = {
  unreachable: "transport_unreachable",
  peer_drop: "transport_peer_drop",
  timeout: "transport_timeout",
  local_resource: "transport_local_resource",
};

export const FAILURE_CODE = {
  unreachable: "NG_ERR_UNREACHABLE",
  peer_drop: "NG_ERR_PEER_DROP",
  timeout: "NG_ERR_TIMEOUT",
  local_resource: "NG_ERR_LOCAL_RESOURCE",
} as const satisfies Record<TransportFailure, string>;

/** The kind of a transport error, undefined for what no transport throws. */
export function classifyTransportError(error: unknown): TransportFailure | undefined {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const kind =
      BY_CODE[String((at as NodeJS.ErrnoException).code)] ??
      (at instanceof AggregateError ? classifyTransportError(at.errors[0]) : undefined);
    if (kind !== undefined) return kind;
    if (at.name === "HTTPParserError" || String((at as NodeJS.ErrnoException).code).startsWith("HPE_")) return "peer_drop";
  }
  return undefined;
}
