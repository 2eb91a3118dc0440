/** The instances of one process: classes are loaded, built and wired to each other, so that calls between them are function calls. */
import { createHmac } from "node:crypto";
import type { HostStatus } from "../../head/index.ts";
import {
  clientSettings,
  createPassOn,
  createServerClient,
  type Endpoint,
  type ServerAddress,
  type ServerClient,
} from "../../http/index.ts";
import { currentCall, outgoingHeaders } from "../../telemetry/index.ts";
import { Agent } from "../agent.ts";
import { parseBlock } from "../block-problems.ts";
import { createEndpoint } from "../endpoint.ts";
import type { EnvironmentEndpoint } from "../environment/endpoint.ts";
import { environmentKind } from "../environment/environment.ts";
import type { GlobalConfig, GymServer, GymServerClass } from "../gym-server.ts";
import { observed } from "../observed-endpoint.ts";
import { ResourcesServer } from "../resources-server.ts";
import { sticky } from "../sticky.ts";
import type { HostedServer } from "./host.ts";
import { hostStatus } from "./host-status.ts";
import { copyUrls, type InstancePlan } from "./plan.ts";
import { openTelemetry } from "./process-telemetry.ts";
import { createRetryLog } from "./retry-log.ts";
import { loadServerClass } from "./server-class.ts";

export interface AssemblyOptions {
  global: GlobalConfig;
  /** Addresses of instances in other processes. */
  addressOf: (name: string) => ServerAddress;
  /** Random per run; each instance's own secret is derived from it. */
  runSecret: string;
  /** Takes each line of the log, a JSON object. */
  writeLog: (line: string) => void;
  /** False: even calls inside this process go over sockets. */
  localDispatch?: boolean;
  /** Calls inside this process hand over frozen copies. */
  freezeLocal?: boolean;
  /** The number of this process among those that run the same instances. */
  copy?: number;
}

export interface Assembly {
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly client: ServerClient;
  /** Adds an instance. @throws GymError NG_ERR_CONFIG for a block that its class refuses. */
  add(plan: InstancePlan, Class?: GymServerClass): Promise<HostedServer>;
  /** Runs each server's `start`. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** What goes on right now. */
  status(hosting: HostStatus["hosting"]): HostStatus;
}

export function createAssembly(options: AssemblyOptions): Assembly {
  const endpoints = new Map<string, Endpoint>();
  const servers: GymServer[] = [];
  const environments: EnvironmentEndpoint[] = [];
  const blocks = new Map<string, Record<string, unknown>>();
  const local = options.localDispatch === false ? undefined : endpoints;
  const { telemetry, hide } = openTelemetry(options);
  const queues = new Map<string, () => number>();
  const settings = clientSettings((key) => options.global.get(key));
  const passOn = createPassOn(settings.limits);
  const client = createServerClient({
    ...settings,
    addressOf: options.addressOf,
    local,
    freezeLocal: options.freezeLocal,
    // The line is the caller's: it is its call that waits.
    onRetry: createRetryLog((target, line) => telemetry.logOf(currentCall()?.server ?? target).warn(line)),
    outgoing: outgoingHeaders,
    around: telemetry.around,
    onCall: telemetry.meter.called,
  });

  return {
    endpoints,
    client,
    async add(plan, Class) {
      hide(plan.block);
      const log = telemetry.logOf(plan.name);
      blocks.set(plan.name, plan.block);
      if (plan.language === "environment") {
        const kind = environmentKind(plan.implementation);
        const config = parseBlock(kind.configSchema, plan) as Record<string, unknown>;
        const environment = kind.create({
          name: plan.name,
          config,
          client,
          log,
          setting: (key) => options.global.get(key),
          blockOf: (name) => blocks.get(name),
        });
        environments.push(environment);
        queues.set(plan.name, () => environment.queued?.() ?? 0);
        endpoints.set(plan.name, observed(plan.name, environment, telemetry));
        return { name: plan.name };
      }
      const ServerClass = Class ?? (await loadServerClass(plan.entrypoint));
      const config = parseBlock(ServerClass.configSchema, plan);
      const server = new ServerClass({ name: plan.name, config, client, global: options.global, log });
      servers.push(server);
      const sessionSecret = createHmac("sha256", options.runSecret).update(plan.name).digest("base64url");
      queues.set(plan.name, () => server.queued());
      const { copy } = options;
      const copies = copyUrls(plan);
      const endpoint = observed(plan.name, createEndpoint(server, { sessionSecret, copy }), telemetry);
      const isCopy = copy !== undefined && copies !== undefined;
      endpoints.set(plan.name, isCopy ? sticky(endpoint, { server, sessionSecret, copy, copies, passOn }) : endpoint);
      return { name: plan.name, metrics: metricsOf(server) };
    },
    async start() {
      await Promise.all(servers.map((server) => server.start()));
    },
    async stop() {
      await Promise.allSettled(environments.map((environment) => environment.stop?.()));
      await Promise.allSettled(servers.map((server) => server.stop()));
      await client[Symbol.asyncDispose]();
      await passOn.close();
      await telemetry[Symbol.asyncDispose]();
    },
    status: (hosting) => hostStatus({ hosting, telemetry, client, queues }),
  };
}

function metricsOf(server: GymServer): HostedServer["metrics"] {
  if (server instanceof ResourcesServer) return server.metricHooks() === undefined ? "baseline" : "own";
  if (server instanceof Agent)
    return server.aggregateMetrics === Agent.prototype.aggregateMetrics && !server.config.skip_verification ? "of-resources-server" : "own";
  return undefined;
}
