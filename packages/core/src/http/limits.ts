/** Every bound of the client, by name, with its default. `ng-status` and errors use these names; a config may set each as `http_<snake_case>`. */

export interface ClientLimits {
  /** HTTP/1.1 connections to one origin: one a call in flight. Further calls wait in a fair queue. */
  maxConnectionsPerOrigin: number;
  /** HTTP/2 connections to one origin of ours. */
  h2cConnectionsPerOrigin: number;
  /** Calls on one HTTP/2 connection at once. */
  h2cStreamsPerConnection: number;
  connectTimeoutMs: number;
  /** Idle connections are closed after this: shorter than a server's 30 s, so that none is used while its server closes it. */
  idleConnectionMs: number;
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
  maxRedirects: number;
}

export const CLIENT_LIMITS: ClientLimits = {
  maxConnectionsPerOrigin: 16_000,
  h2cConnectionsPerOrigin: 16,
  h2cStreamsPerConnection: 4_096,
  connectTimeoutMs: 10_000,
  idleConnectionMs: 15_000,
  modelTimeoutMs: 3_600_000,
  toolTimeoutMs: 600_000,
  verifyTimeoutMs: 600_000,
  seedTimeoutMs: 600_000,
  runTimeoutMs: 0,
  controlTimeoutMs: 60_000,
  maxResponseBytes: 256 * 1024 * 1024,
  maxRedirects: 5,
};
