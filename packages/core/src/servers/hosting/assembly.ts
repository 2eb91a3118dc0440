/** The instances of one process: classes are loaded, built and wired to each other, so that calls between them are function calls. */
import { createHmac } from "node:crypto";
import type { z } from "zod";
import { GymError } from "../../errors/index.ts";
import { createServerClient, type Endpoint, type ServerAddress, type ServerClient } from "../../http/index.ts";
import { Agent } from "../agent.ts";
import { createEndpoint } from "../endpoint.ts";
import { environmentKind } from "../environment/environment.ts";
import type { GlobalConfig, GymServer, GymServerClass } from "../gym-server.ts";
import { ResourcesServer } from "../resources-server.ts";
import type { HostedServer } from "./host.ts";
import type { InstancePlan } from "./plan.ts";
import { createRetryLog } from "./retry-log.ts";
import { loadServerClass } from "./server-class.ts";

export interface AssemblyOptions {
  global: GlobalConfig;
  /** Addresses of instances in other processes. */
  addressOf: (name: string) => ServerAddress;
  /** Random per run; each instance's own secret is derived from it. */
  runSecret: string;
  log: (server: string, line: string) => void;
  /** False: even calls inside this process go over sockets. */
  localDispatch?: boolean;
}

export interface Assembly {
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly client: ServerClient;
  /** Adds an instance. @throws GymError NG_ERR_CONFIG for a block that its class refuses. */
  add(plan: InstancePlan, Class?: GymServerClass): Promise<HostedServer>;
  /** Runs each server's `start`. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function createAssembly(options: AssemblyOptions): Assembly {
  const endpoints = new Map<string, Endpoint>();
  const servers: GymServer[] = [];
  const local = options.localDispatch === false ? undefined : endpoints;
  const client = createServerClient({ addressOf: options.addressOf, local, onRetry: createRetryLog(options.log) });

  return {
    endpoints,
    client,
    async add(plan, Class) {
      const log = (line: string): void => options.log(plan.name, line);
      if (plan.language === "environment") {
        const kind = environmentKind(plan.implementation);
        const config = parseBlock(kind, plan) as Record<string, unknown>;
        endpoints.set(plan.name, kind.create({ name: plan.name, config, client, log }));
        return { name: plan.name };
      }
      const ServerClass = Class ?? (await loadServerClass(plan.entrypoint));
      const config = parseBlock(ServerClass, plan);
      const server = new ServerClass({ name: plan.name, config, client, global: options.global, log });
      servers.push(server);
      const sessionSecret = createHmac("sha256", options.runSecret).update(plan.name).digest("base64url");
      endpoints.set(plan.name, createEndpoint(server, { sessionSecret }));
      return { name: plan.name, metrics: metricsOf(server) };
    },
    async start() {
      await Promise.all(servers.map((server) => server.start()));
    },
    async stop() {
      await Promise.allSettled(servers.map((server) => server.stop()));
      await client[Symbol.asyncDispose]();
    },
  };
}

function parseBlock(Class: { configSchema: z.ZodType }, plan: InstancePlan): unknown {
  const parsed = Class.configSchema.safeParse(plan.block);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(
    (issue) => `  ${[plan.name, plan.type, plan.implementation, ...issue.path].join(".")}: ${issue.message}`,
  );
  throw new GymError(
    "NG_ERR_CONFIG",
    `the block of ${plan.name} is not what ${plan.type}/${plan.implementation} takes:\n${issues.join("\n")}`,
  );
}

function metricsOf(server: GymServer): HostedServer["metrics"] {
  if (server instanceof ResourcesServer) return server.metricHooks() === undefined ? "baseline" : "own";
  if (server instanceof Agent)
    return server.aggregateMetrics === Agent.prototype.aggregateMetrics && !server.config.skip_verification ? "of-resources-server" : "own";
  return undefined;
}
