/** What one process of a run tells about itself: its servers, what they wait for, and what they call. */

export interface HostStatus {
  pid: number;
  hosting: "process" | "shared" | "python";
  /** Undefined for a process that cannot be asked (a server in another language). */
  load?: ProcessLoad;
  servers: ServerLoad[];
  /** By name of what is called: another server, or an endpoint outside. */
  targets: Record<string, TargetLoad>;
}

export interface ProcessLoad {
  cpuSeconds: number;
  rssBytes: number;
  heapBytes: number;
  /** Of the last seconds, in milliseconds. */
  eventLoopLagMs: { p50: number; p99: number; max: number };
  descriptors?: number;
  descriptorLimit?: number;
}

export interface ServerLoad {
  name: string;
  inFlight: number;
  /** Answers given since the start. */
  handled: number;
  /** Of those, answers of status 500 and above. */
  failed: number;
  /** Waiting in queues of the server's own (verify lane, admission). */
  queued: number;
  /** How often a supervisor started it anew. */
  restarts?: number;
}

export interface TargetLoad {
  calls: number;
  inFlight: number;
  /** Waiting for a free connection or for the limit of the endpoint. */
  waiting: number;
  retries: number;
  errors: number;
  /** Calls at once that the endpoint is given: fixed by the configuration, or found by trial. */
  limit?: { current: number; kind: "fixed" | "adaptive"; max?: number };
  /** A circuit that is open fails calls at once. */
  circuit?: { state: "closed" | "open" | "half-open"; reason?: string; since?: number; nextTrial?: number };
}
