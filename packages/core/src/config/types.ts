/** What goes into a load and what comes out of it. */
import type { ConfigNode, MapNode } from "./node.ts";
import type { ServerType } from "./server-types.ts";

/**
 * Finds a free port. The config stage opens no socket, so whoever loads brings one (or binds later and leaves ports unset).
 * Throws NG_ERR_PORT_IN_USE where the range has none left.
 */
export type PortAllocator = (range: { low: number; high: number }, disallowed: readonly number[]) => Promise<number>;

/** Key names that a block may have, from the schema that the server's `app.ts` exports; undefined where nobody knows. */
export type SchemaFor = (instance: ServerInstance) => readonly string[] | undefined | Promise<readonly string[] | undefined>;

export interface LoadOptions {
  /** Hydra override tokens; flags are translated already. */
  argv: readonly string[];
  cwd: string;
  env: Record<string, string | undefined>;
  /** Programmatic values: they beat env.yaml and files and lose to the command line. */
  initial?: object | undefined;
  /** Start from the stand-in policy model, for commands that need none. */
  noModel?: boolean | undefined;
  /** No address of this machine is looked up and no port allocated: unset ports become -1. */
  offline?: boolean | undefined;
  /** Without it, unset ports stay as they are (missing, null or 0). */
  allocatePort?: PortAllocator | undefined;
  schemaFor?: SchemaFor | undefined;
  /** Top-level keys that the command itself reads, so that they count as known. */
  parameters?: readonly string[] | undefined;
  /** Unknown keys pass (`--allow-unknown`). */
  allowUnknown?: boolean | undefined;
  /** Folder that holds the built-in `resources_servers/` and its siblings; default: found from this module. */
  installRoot?: string | undefined;
  /** The machine's own address, for `use_absolute_ip`. Default: the first address that is not internal. */
  ownAddress?: (() => string) | undefined;
}

export interface ServerInstance {
  /** Top-level key. */
  name: string;
  type: ServerType;
  /** Folder below the type. */
  implementation: string;
  /** Its fields, interpolations resolved: `entrypoint`, `host`, `port`, `num_workers`, references, own settings. */
  block: Record<string, unknown>;
  /** Set for the environment server that stands before an agent which has none. */
  generated?: true;
}

/** One layer that set a value. */
export interface ValueLayer {
  /** `c.yaml:3:5`, `env.yaml:1:1`, `command line: ++a=1`, `default`. */
  from: string;
  /** YAML text of what it set, secrets masked. */
  value: string;
  wins: boolean;
}

export interface LoadedConfig {
  /** Unresolved plain values. Integers past 2^53 are bigint. */
  raw: Record<string, unknown>;
  /** The tree behind `raw`. */
  tree: MapNode;
  /** Resolved value at a dotted path (`a.b[0]`), or the whole configuration. Throws NG_ERR_INTERPOLATION; a missing path is undefined. */
  resolved: (path?: string) => unknown;
  /** Resolved value of a top-level key or dotted path; undefined where it is missing. */
  get: <T = unknown>(key: string) => T | undefined;
  /** All servers in file order, generated relays last. */
  servers: ServerInstance[];
  /** Port is null where the configuration says so. */
  headServer: { host: string; port: number | null };
  /** YAML text: unresolved and unmasked as a child process gets it, or masked, or resolved. */
  yaml: (options?: { resolve?: boolean; mask?: boolean }) => string;
  /** Lines for standard error: duplicates, generated relays, moved names. */
  notices: string[];
  /** Every layer that set the value at a dotted path, the strongest first. */
  explainKey: (path: string) => ValueLayer[];
}

export type { ConfigNode };
