/** From host plans to hosts: what each kind of host needs to start. */
import { randomBytes } from "node:crypto";
import { childEnvironment, exportedVariables, type LoadedConfig } from "../../config/index.ts";
import { unknownServer } from "../../head/index.ts";
import type { ServerAddress } from "../../http/index.ts";
import { type LogEntry, parseLogEntry } from "../../telemetry/index.ts";
import { createLineMask } from "./child-lines.ts";
import type { OnHostEvent } from "./events.ts";
import type { Host } from "./host.ts";
import { createLogMark, logEvent } from "./log-lines.ts";
import { copyUrls, type HostPlan, type InstancePlan, planHosts } from "./plan.ts";
import { createProcessHost } from "./process-host.ts";
import { groupProgram, ownProgram } from "./programs.ts";
import { createPythonHost } from "./python-host.ts";
import { keepPort } from "./python-port.ts";
import { withRestarts } from "./restart.ts";
import { secretTexts } from "./secret-texts.ts";
import { createSharedHost } from "./shared-host.ts";
import type { HostSockets, Sockets } from "./sockets.ts";
import { spinupSeconds } from "./spinup.ts";

export interface HostsOptions {
  plans: readonly InstancePlan[];
  /** Bound, not yet served. */
  sockets: Sockets;
  config: LoadedConfig;
  env: NodeJS.ProcessEnv;
  onEvent: OnHostEvent;
  /** Where servers are reached that run elsewhere, by instance name. */
  elsewhere?: Readonly<Record<string, string>>;
  localDispatch?: boolean | undefined;
  freezeLocal?: boolean | undefined;
}

export function createHosts(options: HostsOptions): Host[] {
  const { plans, sockets, config, onEvent, localDispatch, freezeLocal } = options;
  const runSecret = randomBytes(32).toString("base64url");
  const logMark = createLogMark();
  const own = plans.map((plan) => [plan.name, { url: urlOf(plan), h2c: plan.language !== "python", copies: copyUrls(plan) }] as const);
  const elsewhere = Object.entries(options.elsewhere ?? {}).map(([name, url]) => [name, { url }] as const);
  const addresses: Record<string, ServerAddress> = Object.fromEntries([...own, ...elsewhere]);
  const mask = createLineMask(secretTexts([config.raw, ...plans.map((plan) => plan.block)]));
  const childEnv = { ...options.env, ...childEnvironment(config, "") };

  function createHost(hostPlan: HostPlan): Host {
    const { kind, plans: inside, copy } = hostPlan;
    const main = inside[0] as InstancePlan;
    const bound = sockets.of(inside, copy);
    if (kind === "process" || kind === "group") {
      const start = { addresses, runSecret, logMark, copy, localDispatch, freezeLocal, settings: settingsOf(config) };
      const program = kind === "group" ? groupProgram(hostPlan, options.env) : ownProgram(hostPlan, childEnv);
      const processHost = (ports?: HostSockets): Host =>
        createProcessHost({ plans: inside, sockets: ports, start, program, mask, onEvent });
      return restarted({ ...main, name: program.label }, processHost(bound), () => processHost());
    }
    if (kind === "python") {
      const port = keepPort(main.port, bound.get(main.name)?.[0]);
      const env = { ...childEnv, ...exportedVariables(config, { env: options.env }) };
      const pythonHost = (): Host => createPythonHost({ plan: main, port, env, mask, onEvent });
      return restarted(main, pythonHost(), pythonHost);
    }
    return createSharedHost({
      plans: inside,
      sockets: bound,
      global: config,
      addressOf: (name) => addresses[name] ?? unknownServer(name, Object.keys(addresses)),
      runSecret,
      localDispatch,
      freezeLocal,
      writeLog: (line) => onEvent(logEvent(parseLogEntry(line) as LogEntry)),
    });
  }

  function restarted({ name: server, restarts: times = 0 }: InstancePlan, first: Host, again: () => Host): Host {
    if (times === 0) return first;
    return withRestarts({ server, times, first, again, readyWithinMs: spinupSeconds(config) * 1000, onEvent });
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
