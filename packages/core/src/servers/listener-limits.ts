/** Every bound of a listening server, by name, with its default. */

export interface ListenerLimits {
  maxBodyBytes: number;
  maxHeaderBytes: number;
  /** Longest time for the head of a request. */
  headersTimeoutMs: number;
  /** Longest time for a whole request to arrive: ends slow and never-ending bodies. */
  requestTimeoutMs: number;
  /** Longest time for an answer to be taken: ends callers who ask and do not read. */
  responseTimeoutMs: number;
  /** Longest time that the rest of a body beyond the limit is still read, so that its caller gets to read the answer. */
  lingerMs: number;
  /** Idle connections are kept this long: longer than a client keeps them. */
  keepAliveMs: number;
  /** Calls in flight get this long at shutdown. */
  graceMs: number;
  h2cStreamsPerConnection: number;
  /** Memory of one HTTP/2 connection: bodies in flight and the state of its streams. */
  h2cSessionMemoryMb: number;
}

export const LISTENER_LIMITS: ListenerLimits = {
  maxBodyBytes: 256 * 1024 * 1024,
  maxHeaderBytes: 64 * 1024,
  headersTimeoutMs: 60_000,
  requestTimeoutMs: 300_000,
  responseTimeoutMs: 300_000,
  lingerMs: 5_000,
  keepAliveMs: 30_000,
  graceMs: 5_000,
  h2cStreamsPerConnection: 4_096,
  h2cSessionMemoryMb: 512,
};
