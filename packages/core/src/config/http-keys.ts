/**
 * The part of the table of top-level keys that bounds the HTTP client: its limits and its retry budgets. The client takes names and defaults from
 * here: `http_model_timeout_ms` is its limit `modelTimeoutMs`. Plain data.
 */
import type { TopLevelKey } from "./top-level-table.ts";

const MINUTE_MS = 60_000;

/** What a null default means. */
const NO_LIMIT = { default: null, computed: "no limit" } as const;

export const HTTP_LIMIT_KEYS = {
  http_max_connections_per_origin: {
    type: "integer",
    default: 16_000,
    least: 1,
    about: "HTTP/1.1 connections to one address; each carries one call at a time, further calls wait in order.",
  },
  http_max_connections: { type: "integer", ...NO_LIMIT, least: 1, about: "HTTP/1.1 connections of a process in all." },
  http_descriptor_reserve: {
    type: "integer",
    default: 1_024,
    least: 0,
    about: "Descriptors of a process that connections leave free, for files and for callers; at most a quarter of all.",
  },
  http_max_queued_calls: {
    type: "integer",
    default: 262_144,
    least: 1,
    about: "Calls that wait for one target: for a connection, or for the limit that it has.",
  },
  http_max_adaptive_calls: {
    type: "integer",
    default: 16_000,
    least: 1,
    about: "What an adaptive limit of calls at one endpoint never passes.",
  },
  http_h2c_connections_per_origin: { type: "integer", default: 16, least: 1, about: "HTTP/2 connections to one server of ours." },
  http_h2c_streams_per_connection: { type: "integer", default: 4_096, least: 1, about: "Calls on one HTTP/2 connection at once." },
  http_h2c_session_memory_mb: {
    type: "integer",
    default: 1_024,
    least: 1,
    about: "Memory of one HTTP/2 connection: bodies that are not sent yet and the state of its streams.",
  },
  http_connect_timeout_ms: { type: "integer", default: 10_000, least: 1, about: "Longest time to connect." },
  http_idle_connection_ms: {
    type: "integer",
    default: 4_000,
    least: 1,
    about:
      "Idle connections are closed after this where the server does not say how long it keeps them: shorter than the 5 s that are usual in Python.",
  },
  http_max_idle_connection_ms: {
    type: "integer",
    default: 15_000,
    least: 1,
    about: "The same for servers that do say: that time less 2 s, and at most this.",
  },
  http_model_timeout_ms: { type: "integer", default: 60 * MINUTE_MS, least: 0, about: "Longest model call, from its write; 0 = no limit." },
  http_tool_timeout_ms: { type: "integer", default: 10 * MINUTE_MS, least: 0, about: "Longest tool call; 0 = no limit." },
  http_verify_timeout_ms: { type: "integer", default: 10 * MINUTE_MS, least: 0, about: "Longest verification; 0 = no limit." },
  http_seed_timeout_ms: { type: "integer", default: 10 * MINUTE_MS, least: 0, about: "Longest seeding of a session; 0 = no limit." },
  http_run_timeout_ms: { type: "integer", default: 0, least: 0, about: "Longest /run, and longest loop of an agent; 0 = no limit." },
  http_control_timeout_ms: { type: "integer", default: MINUTE_MS, least: 0, about: "Longest call of any other kind; 0 = no limit." },
  http_max_response_bytes: { type: "integer", default: 256 * 1024 * 1024, least: 1, about: "Longest answer that is read." },
  http_max_response_head_bytes: { type: "integer", default: 64 * 1024, least: 1_024, about: "Longest head of an answer." },
  http_max_redirects: { type: "integer", default: 5, least: 0, about: "How often an answer may send a call on." },
} as const satisfies Record<string, TopLevelKey>;

export const HTTP_RETRY_KEYS = {
  http_retry_unreachable_attempts: { type: "integer", default: 3, least: 1, about: "Tries of a call whose connection is refused." },
  http_retry_unreachable_within_ms: { type: "integer", default: 10_000, least: 0, about: "How long it is tried, from the first failure." },
  http_retry_peer_drop_attempts: { type: "integer", default: 5, least: 1, about: "Tries of a call whose connection is reset." },
  http_retry_peer_drop_within_ms: { type: "integer", default: MINUTE_MS, least: 0, about: "How long it is tried, from the first failure." },
  http_retry_local_resource_within_ms: {
    type: "integer",
    default: 2 * MINUTE_MS,
    least: 0,
    about: "How long a call waits for descriptors, ports or memory of this machine.",
  },
  http_retry_busy_within_ms: {
    type: "integer",
    default: 10 * MINUTE_MS,
    least: 0,
    about: "How long a call is tried that an endpoint answers with 429, 502, 503, 504, 520 or 529.",
  },
  http_retry_server_error_attempts: {
    type: "integer",
    default: 3,
    least: 1,
    about: "Tries of a call that an endpoint answers with 500 or 408.",
  },
  http_retry_server_error_within_ms: {
    type: "integer",
    default: 10 * MINUTE_MS,
    least: 0,
    about: "How long it is tried, from the first failure.",
  },
  http_retry_max_attempts: {
    type: "integer",
    ...NO_LIMIT,
    least: 0,
    about: "Requests in all for one call, whatever fails; 0 and 1 = exactly one. A model server's max_http_attempts wins.",
  },
  http_retry_base_delay_ms: {
    type: "integer",
    default: 500,
    least: 0,
    about: "Longest first pause; it doubles each time, and a pause lasts anything between 0 and that.",
  },
  http_retry_max_delay_ms: { type: "integer", default: 30_000, least: 0, about: "Longest pause." },
  http_retry_max_retry_after_ms: {
    type: "integer",
    default: 10 * MINUTE_MS,
    least: 0,
    about: "Longest pause that an endpoint may ask for with Retry-After.",
  },
} as const satisfies Record<string, TopLevelKey>;
