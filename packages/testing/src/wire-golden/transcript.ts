/** The shapes of a `wire` transcript and of its replay. `golden/wire` documents them; the file format is not ours. */
import type { Scripts } from "../fake-upstream/index.ts";

export interface Address {
  host: string;
  port: number;
}

/** `null` where there is none. */
export type WireBody = { json: unknown } | { text: string } | { sse: string[] } | { bytes_base64: string } | null;

export type Headers = [name: string, value: string][];

export interface Exchange {
  n: number;
  from: string;
  /** Number of the exchange during which this one was made; null for a call of the client. */
  inside: number | null;
  to: string;
  method: string;
  path: string;
  request: { headers: Headers; body: WireBody };
  /** Null where no answer began. */
  response: { status: number; headers: Headers; body: WireBody } | null;
  /** `complete`, `caller went away`, or how the other side broke off. */
  end: string;
}

/** One call of the client, or several at once. */
export interface WireCall {
  to: string;
  path: string;
  method?: string;
  json?: unknown;
  text?: string;
  headers?: [string, string][];
  /** `keep` sends what earlier answers set, `none` nothing, any other text as it is. */
  cookies?: string;
  /** Seconds after which the client closes. */
  leave_after?: number;
}

export interface Transcript {
  id: string;
  input: {
    servers: Record<string, { type: string; dir: string; config: Record<string, unknown> }>;
    scripts?: Record<string, Scripts>;
    steps: (WireCall | { together: WireCall[] })[];
    top_level_config?: Record<string, unknown>;
    patched_constants?: Record<string, number>;
  };
  expected: {
    /** In the order of the calls; null where the client left. */
    client_status: (number | null)[];
    exchanges: Exchange[];
    capture_files?: Record<string, unknown[]>;
  };
}

/** A server of ours to start. */
export interface WireServer {
  name: string;
  type: string;
  /** Folder of the implementation below its type. */
  dir: string;
  config: Record<string, unknown>;
  /** Where everybody, itself included, must reach it: a proxy that records. */
  address: Address;
}

/** A scripted server that runs already; the configuration must know its address. */
export interface WirePeer {
  name: string;
  type: string;
  address: Address;
}

export interface WireSpec {
  servers: WireServer[];
  peers: WirePeer[];
  topLevel: Record<string, unknown>;
  /** Constants of the reference that the recording changed, by their name there. */
  constants: Record<string, number>;
  /** An empty folder, removed afterwards; `$TMP` in the configuration. */
  folder: string;
}

export interface StartedServers {
  /** Where each server really listens, by name. */
  listening: Record<string, Address>;
  close(): Promise<void>;
}

export type StartServers = (spec: WireSpec) => Promise<StartedServers>;

export interface Replay {
  clientStatus: (number | null)[];
  exchanges: Exchange[];
  captureFiles: Record<string, unknown[]>;
}
