/**
 * The supervisor: starts every instance of a configuration, tells the head server about them, watches them, and ends them all. Whatever way it
 * ends, nothing that it started is left.
 */
import { randomBytes } from "node:crypto";
import type { Server } from "node:net";
import { childEnvironment, type LoadedConfig } from "../../config/index.ts";
import { GymError } from "../../protocol/index.ts";
import { unknownServer } from "../head-client.ts";
import { createHeadEndpoint, type HeadState } from "../head-server.ts";
import type { ServerInstanceInfo } from "../instance-info.ts";
import { type Listener, listen } from "../listener.ts";
import type { OnHostEvent } from "./events.ts";
import type { Host, HostedServer } from "./host.ts";
import { instanceInfos } from "./instance-infos.ts";
import { groupByHost, type InstancePlan } from "./plan.ts";
import { planInstances } from "./plan-instances.ts";
import { createPortKeeper, type PortKeeper } from "./port-keeper.ts";
import { createProcessHost } from "./process-host.ts";
import { createSharedHost } from "./shared-host.ts";

/** `server_spinup_timeout_seconds` where the configuration does not say. */
const SPINUP_TIMEOUT_SECONDS = 600;
const GRACE_MS = 5_000;
const WAITING_EVERY_MS = 1_000;

export interface StartOptions {
  config: LoadedConfig;
  /** Holds the ports that loading the configuration bound; absent = bind now. */
  ports?: PortKeeper;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  onEvent?: OnHostEvent;
  /** Ends the start; the servers that run already are stopped. */
  signal?: AbortSignal;
  /** False: calls between servers of one process go over sockets too. */
  localDispatch?: boolean;
}

export interface RunningServers extends AsyncDisposable {
  readonly head: { host: string; port: number; url: string };
  readonly instances: readonly ServerInstanceInfo[];
  /** Resolves when a server ended by itself. */
  readonly died: Promise<GymError>;
  stop(reason: string): Promise<void>;
}

/** @throws GymError NG_ERR_CONFIG, NG_ERR_PORT_IN_USE, NG_ERR_SERVER_START, NG_ERR_SERVER_DIED; what was started is stopped first. */
export async function startServers(options: StartOptions): Promise<RunningServers> {
  const { config } = options;
  const env = options.env ?? process.env;
  const onEvent = options.onEvent ?? (() => {});
  const began = performance.now();
  const plans = planInstances(config, { cwd: options.cwd ?? process.cwd(), env });
  const ports = options.ports ?? createPortKeeper();
  const stop = new AbortController();
  const hosts: Host[] = [];
  let headListener: Listener | undefined;
  let stopped: Promise<void> | undefined;

  const stopAll = (reason: string): Promise<void> => {
    stopped ??= (async () => {
      onEvent({ type: "stopping", reason });
      stop.abort(new GymError("NG_ERR_CANCELLED", reason));
      const killed = await Promise.all(hosts.map((host) => host.stop(GRACE_MS)));
      await headListener?.close(0);
      await ports[Symbol.asyncDispose]();
      onEvent({ type: "stopped", killed: killed.flat() });
    })();
    return stopped;
  };
  const onAbort = (): void => void stopAll("interrupted while starting");
  options.signal?.addEventListener("abort", onAbort, { once: true });

  try {
    const bound = await takePorts(plans, config, ports);
    const head = await takeHead(config, ports);
    const state: HeadState = { configYaml: config.yaml(), instances: [], ready: false, waiting: plans.map((plan) => plan.name) };
    headListener = await listen(createHeadEndpoint(state), { bound: head.server });
    const headAddress = { host: head.host, port: headListener.port, url: `http://${head.host}:${headListener.port}` };

    hosts.push(...createHosts({ plans, bound, options, env, onEvent }));
    for (const plan of plans) onEvent({ type: "starting", server: plan.name, hosting: plan.hosting, url: urlOf(plan) });
    const died = Promise.race(hosts.map((host) => host.died));
    const hosted = await allReady({ hosts, state, died, config, signal: stop.signal, onEvent, began });
    state.instances = instanceInfos({ plans, hosts, hosted });
    state.ready = true;
    onEvent({ type: "ready", instances: state.instances, elapsedMs: performance.now() - began });
    return { head: headAddress, instances: state.instances, died, stop: stopAll, [Symbol.asyncDispose]: () => stopAll("done") };
  } catch (error) {
    await stopAll("a server could not be started");
    throw error;
  } finally {
    options.signal?.removeEventListener("abort", onAbort);
  }
}

function urlOf(plan: InstancePlan): string {
  return `http://${plan.host}:${plan.port}`;
}

async function takePorts(plans: InstancePlan[], config: LoadedConfig, ports: PortKeeper): Promise<Map<string, Server>> {
  const range = { low: Number(config.get("port_range_low") ?? 10_001), high: Number(config.get("port_range_high") ?? 20_000) };
  const bound = new Map<string, Server>();
  for (const plan of plans) {
    let server = ports.take(plan.port);
    if (server === undefined) {
      plan.port = await ports.bind({ server: plan.name, host: plan.host, port: plan.port || null }, range);
      server = ports.take(plan.port);
    }
    if (server) bound.set(plan.name, server);
  }
  return bound;
}

async function takeHead(config: LoadedConfig, ports: PortKeeper): Promise<{ server: Server; host: string }> {
  const { host, port } = config.headServer;
  const actual = await ports.bind({ server: "the head server", host, port: Number(port) }, { low: 0, high: 0 });
  return { server: ports.take(actual) as Server, host };
}

interface HostsOptions {
  plans: InstancePlan[];
  bound: Map<string, Server>;
  options: StartOptions;
  env: NodeJS.ProcessEnv;
  onEvent: OnHostEvent;
}

function createHosts({ plans, bound, options, env, onEvent }: HostsOptions): Host[] {
  const runSecret = randomBytes(32).toString("base64url");
  const addresses = Object.fromEntries(plans.map((plan) => [plan.name, { url: urlOf(plan), h2c: plan.language !== "python" }]));
  const childEnv = { ...env, ...childEnvironment(options.config, "") };
  return groupByHost(plans).map((group) => {
    if (group[0]?.hosting === "process")
      return createProcessHost({ plans: group, bound, start: { addresses, runSecret }, env: childEnv, onEvent });
    return createSharedHost({
      plans: group,
      bound,
      global: options.config,
      addressOf: (name) => addresses[name] ?? unknownServer(name, Object.keys(addresses)),
      runSecret,
      localDispatch: options.localDispatch,
      log: (server, line) => onEvent({ type: "log", server, line, stream: "stderr" }),
    });
  });
}

interface ReadyOptions {
  hosts: Host[];
  state: HeadState;
  died: Promise<GymError>;
  config: LoadedConfig;
  signal: AbortSignal;
  onEvent: OnHostEvent;
  began: number;
}

/** Starts all hosts side by side and says each second who is missing. */
async function allReady({ hosts, state, died, config, signal, onEvent, began }: ReadyOptions): Promise<HostedServer[]> {
  const total = state.waiting.length;
  const tell = (): void =>
    onEvent({
      type: "waiting",
      ready: total - state.waiting.length,
      total,
      missing: [...state.waiting],
      elapsedMs: performance.now() - began,
    });
  const seconds = Number(config.get("server_spinup_timeout_seconds") ?? SPINUP_TIMEOUT_SECONDS);
  const deadline = Promise.withResolvers<never>();
  const overdue = (): void => {
    const message = `not ready within server_spinup_timeout_seconds (${seconds}): ${state.waiting.join(", ")}`;
    deadline.reject(
      new GymError("NG_ERR_SERVER_START", message, { hint: "Raise that key, or look at the log of the servers named here." }),
    );
  };
  tell();
  const ticker = setInterval(tell, WAITING_EVERY_MS);
  const timer = seconds > 0 ? setTimeout(overdue, seconds * 1000) : undefined;
  const starts = hosts.map(async (host) => {
    const hosted = await host.start(signal);
    state.waiting = state.waiting.filter((name) => !host.names.includes(name));
    return hosted;
  });
  const death = died.then((error) => Promise.reject(error));
  try {
    return (await Promise.race([Promise.all(starts), deadline.promise, death])).flat();
  } finally {
    clearInterval(ticker);
    clearTimeout(timer);
    for (const late of [...starts, death]) (late as Promise<unknown>).catch(() => {});
  }
}
