/** From host plans to hosts: what each kind of host needs to start. */
import { randomBytes } from "node:crypto";
import type { Server } from "node:net";
import { childEnvironment, type LoadedConfig } from "../../config/index.ts";
import { unknownServer } from "../../head/index.ts";
import type { ServerAddress } from "../../http/index.ts";
import type { OnHostEvent } from "./events.ts";
import type { Host } from "./host.ts";
import { type HostPlan, type InstancePlan, planHosts } from "./plan.ts";
import { createProcessHost } from "./process-host.ts";
import { createSharedHost } from "./shared-host.ts";

export interface HostsOptions {
  plans: readonly InstancePlan[];
  /** By instance name: bound, not yet served. */
  bound: ReadonlyMap<string, Server>;
  config: LoadedConfig;
  env: NodeJS.ProcessEnv;
  onEvent: OnHostEvent;
  /** Where servers are reached that run elsewhere, by instance name. */
  elsewhere?: Readonly<Record<string, string>>;
  localDispatch?: boolean;
}

export function createHosts(options: HostsOptions): Host[] {
  const { plans, bound, config, onEvent } = options;
  const runSecret = randomBytes(32).toString("base64url");
  const own = plans.map((plan) => [plan.name, { url: urlOf(plan), h2c: plan.language !== "python" }] as const);
  const elsewhere = Object.entries(options.elsewhere ?? {}).map(([name, url]) => [name, { url }] as const);
  const addresses: Record<string, ServerAddress> = Object.fromEntries([...own, ...elsewhere]);
  const childEnv = { ...options.env, ...childEnvironment(config, "") };

  function createHost({ kind, plans: inside }: HostPlan): Host {
    if (kind === "process") {
      const start = { addresses, runSecret, settings: settingsOf(config) };
      return createProcessHost({ plans: inside, bound, start, env: childEnv, onEvent });
    }
    if (kind === "python") throw new Error("Python servers are not started yet");
    return createSharedHost({
      plans: inside,
      bound,
      global: config,
      addressOf: (name) => addresses[name] ?? unknownServer(name, Object.keys(addresses)),
      runSecret,
      localDispatch: options.localDispatch,
      log: (server, line) => onEvent({ type: "log", server, line, stream: "stderr" }),
    });
  }

  return planHosts(plans).map(createHost);
}

export function urlOf(plan: InstancePlan): string {
  return `http://${plan.host}:${plan.port}`;
}

/** Top-level keys that are no servers. One that does not resolve is left out: whoever reads it gets what a missing key gives. */
function settingsOf(config: LoadedConfig): Record<string, unknown> {
  const servers = new Set(config.servers.map((server) => server.name));
  const settings: Record<string, unknown> = {};
  for (const key of Object.keys(config.raw).filter((name) => !servers.has(name))) {
    try {
      settings[key] = config.get(key);
    } catch {
      // Reported when the configuration was loaded, if anything refers to it.
    }
  }
  return settings;
}
