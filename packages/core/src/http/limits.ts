/** Every bound of the client, by name, with its default. `ng-status` and errors use these names; a config may set each as `http_<snake_case>`. */

export interface ClientLimits {
  /** HTTP/1.1 connections to one origin: one a call in flight. Further calls wait in a fair queue. */
  maxConnectionsPerOrigin: number;
  /** HTTP/2 connections to one origin of ours. */
  h2cConnectionsPerOrigin: number;
  /** Calls on one HTTP/2 connection at once. */
  h2cStreamsPerConnection: number;
  /** Memory of one HTTP/2 connection: bodies that are not sent yet and the state of its streams. */
  h2cSessionMemoryMb: number;
  connectTimeoutMs: number;
  /** Idle connections are closed after this where the server does not say how long it keeps them: shorter than the 5 s that are usual in Python. */
  idleConnectionMs: number;
  /** The same for servers that do say (`Keep-Alive: timeout=`, as ours): that time less 2 s, and at most this. */
  maxIdleConnectionMs: number;
  modelTimeoutMs: number;
  toolTimeoutMs: number;
  verifyTimeoutMs: number;
  /** Seeding a session. */
  seedTimeoutMs: number;
  /** `/run` and an agent's own `/v1/responses`: 0 = none. */
  runTimeoutMs: number;
  controlTimeoutMs: number;
  /** Longest answer that is read. */
  maxResponseBytes: number;
  /** Longest head of an answer. */
  maxResponseHeadBytes: number;
  maxRedirects: number;
}

export const CLIENT_LIMITS: ClientLimits = {
  maxConnectionsPerOrigin: 16_000,
  h2cConnectionsPerOrigin: 16,
  h2cStreamsPerConnection: 4_096,
  h2cSessionMemoryMb: 1_024,
  connectTimeoutMs: 10_000,
  idleConnectionMs: 4_000,
  maxIdleConnectionMs: 15_000,
  modelTimeoutMs: 3_600_000,
  toolTimeoutMs: 600_000,
  verifyTimeoutMs: 600_000,
  seedTimeoutMs: 600_000,
  runTimeoutMs: 0,
  controlTimeoutMs: 60_000,
  maxResponseBytes: 256 * 1024 * 1024,
  maxResponseHeadBytes: 64 * 1024,
  maxRedirects: 5,
};

/** Longest delay of a timer; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A limit as a timer takes it: 0 = none, everything else within what a timer can wait. */
export function timerMs(limitMs: number): number {
  return limitMs > 0 ? Math.min(limitMs, MAX_TIMER_MS) : 0;
}
