/** What one process of a run tells about itself: its servers, what they wait for, and what they call. */
import type { TargetLoad } from "../http/index.ts";

export type { TargetLoad };

export interface HostStatus {
  pid: number;
  /** `launcher`: what started the others, where no server is in it. */
  hosting: "process" | "shared" | "python" | "launcher";
  /** Undefined for a process that cannot be asked (a server in another language). */
  load?: ProcessLoad;
  servers: ServerLoad[];
  /** By name of what is called: another server, or an endpoint outside. */
  targets: Record<string, TargetLoad>;
  /** How often the supervisor started it anew; absent where it never does. */
  restarts?: number;
  /** When it was last started anew, in milliseconds since 1970; absent where it was not. */
  restartedAt?: number;
  /** It was asked and did not tell in time: it is busy, or hangs. */
  silent?: true;
  /** Its counters as Prometheus families; only where they are asked for. */
  metrics?: MetricFamily[];
}

/** A process of the run and the instances that it is for. */
export interface NamedHostStatus extends HostStatus {
  names: readonly string[];
}

/** One metric with its series, in the form in which prom-client merges and writes them. */
export interface MetricFamily {
  name: string;
  help: string;
  type: "histogram" | "gauge" | "counter";
  /** How series of equal labels of several processes become one. */
  aggregator: "sum" | "first";
  /** `metricName`: a histogram's `_bucket`, `_sum` or `_count`. */
  values: { value: number; labels: Record<string, string | number>; metricName?: string }[];
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
}
