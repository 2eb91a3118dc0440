/** The base of every kind of server: who it is, its block of the configuration, its client, its routes. */
import { z } from "zod";
import type { ServerClient } from "../http/index.ts";
import { type Log, type LogLine, toLog } from "../telemetry/index.ts";
import { internalKind } from "./error-reply.ts";
import type { PrefixedPath } from "./rollout-prefix.ts";
import type { Route } from "./route.ts";

/** A server named in a block: `{type, name}`. */
export const serverRefSchema = z.looseObject({
  type: z.string(),
  name: z.string(),
});
export type ServerRef = z.infer<typeof serverRefSchema>;

/** Keys that every block may hold. */
export const serverConfigSchema = z.object({
  entrypoint: z.string().optional(),
  host: z.string().nullable().optional(),
  port: z.union([z.number(), z.string()]).nullable().optional(),
  num_workers: z.union([z.number().int(), z.string()]).nullable().optional(),
  hosting: z.enum(["process", "shared"]).optional(),
  max_body_bytes: z.number().int().positive().optional(),
});
export type ServerConfig = z.infer<typeof serverConfigSchema>;

/** Top-level keys of the configuration that a server may ask for. */
export interface GlobalConfig {
  get(key: string): unknown;
}

export type { Log };

export interface ServerOptions<C> {
  name: string;
  config: C;
  client: ServerClient;
  global: GlobalConfig;
  /** The server's log, or whatever takes its lines. */
  log: Log | LogLine;
}

export abstract class GymServer<C extends ServerConfig = ServerConfig> {
  readonly name: string;
  readonly config: C;
  readonly client: ServerClient;
  readonly global: GlobalConfig;
  /** Structured, with levels; a plain call is a warning. The host decides where lines go. */
  readonly log: Log;

  constructor(options: ServerOptions<C>) {
    this.name = options.name;
    this.config = options.config;
    this.client = options.client;
    this.global = options.global;
    this.log = toLog(options.log);
  }

  /** `<Class>___<instance>`: the cookie's name and how errors name the server. */
  get identity(): string {
    return `${this.constructor.name}___${this.name}`;
  }

  /** The routes of this kind; a subclass adds its own behind `super.routes()`. */
  routes(): Route[] {
    return [];
  }

  /** May `/ng-rollout/<id>` stand in front of this path? `rolloutId` is undefined where the id in it is none. */
  allowsPrefix({ rolloutId }: PrefixedPath): boolean {
    return rolloutId !== undefined;
  }

  /** Failure kind of an error that a handler of this server throws by itself. */
  failureKind(): string {
    return internalKind(this.name);
  }

  /** Requests that wait in queues of the server's own (verify lane, admission), for `ng-status`. */
  queued(): number {
    return 0;
  }

  /** Runs before the server says ready. */
  async start(): Promise<void> {}

  /** Runs at shutdown, after the last request. */
  async stop(): Promise<void> {}
}

export interface GymServerClass {
  readonly name: string;
  /** The block's schema: its keys are the keys that the YAML may hold. */
  readonly configSchema: z.ZodType;
  // biome-ignore lint/suspicious/noExplicitAny: each class takes the config that its own schema gives
  new (options: ServerOptions<any>): GymServer<any>;
}
