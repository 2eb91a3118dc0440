/**
 * The supervisor: starts every instance of a configuration, tells the head server about them, watches them, and ends them all. Whatever way it
 * ends, nothing that it started is left.
 */
import type { Server } from "node:net";
import { type LoadedConfig, withAddresses } from "../../config/index.ts";
import { GymError } from "../../errors/index.ts";
import { createHeadEndpoint, type HeadState, type ServerInstanceInfo } from "../../head/index.ts";
import { type Listener, listen } from "../listener.ts";
import { awaitEndpoints, ENDPOINT_TIMEOUT_KEY } from "../model-endpoints.ts";
import { createHosts, urlOf } from "./create-hosts.ts";
import type { OnHostEvent } from "./events.ts";
import type { Host, HostedServer } from "./host.ts";
import { instanceInfos } from "./instance-infos.ts";
import type { InstancePlan } from "./plan.ts";
import { planInstances } from "./plan-instances.ts";
import { bindPort } from "./ports.ts";
import { stopHosts } from "./stop-hosts.ts";

/** `server_spinup_timeout_seconds` where the configuration does not say. */
const SPINUP_TIMEOUT_SECONDS = 600;
const GRACE_MS = 5_000;
const WAITING_EVERY_MS = 1_000;
const HEAD = "the head server";

export interface StartOptions {
  config: LoadedConfig;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  onEvent?: OnHostEvent;
  /** Ends the start; the servers that run already are stopped. */
  signal?: AbortSignal;
  /** Where servers are reached that run elsewhere, or behind a proxy or recorder, by instance name. */
  addresses?: Readonly<Record<string, string>>;
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

/** @throws GymError NG_ERR_CONFIG, NG_ERR_PORT_IN_USE, NG_ERR_SERVER_START, NG_ERR_SERVER_DIED, NG_ERR_UNREACHABLE; what was started is stopped first. */
export async function startServers(options: StartOptions): Promise<RunningServers> {
  const env = options.env ?? process.env;
  const onEvent = options.onEvent ?? (() => {});
  const began = performance.now();
  const plans = planInstances(options.config, { cwd: options.cwd ?? process.cwd(), env });
  const stop = new AbortController();
  const bound = new Map<string, Server>();
  const hosts: Host[] = [];
  let headListener: Listener | undefined;
  let stopped: Promise<void> | undefined;

  const stopAll = (reason: string): Promise<void> => {
    stopped ??= (async () => {
      onEvent({ type: "stopping", reason });
      stop.abort(new GymError("NG_ERR_CANCELLED", reason));
      const killed = await stopHosts(hosts, plans, GRACE_MS);
      await headListener?.close(0);
      for (const server of bound.values()) server.close();
      onEvent({ type: "stopped", killed });
    })();
    return stopped;
  };
  const onAbort = (): void => void stopAll("interrupted while starting");
  options.signal?.addEventListener("abort", onAbort, { once: true });

  try {
    const head = await bindAll(plans, options.config, bound);
    const servers = Object.fromEntries(plans.map(({ name, host, port }) => [name, { host, port }]));
    const config = withAddresses(options.config, { servers, headServer: head, env });
    const state: HeadState = { configYaml: config.yaml(), instances: [], ready: false, waiting: plans.map((plan) => plan.name) };
    headListener = await listen(createHeadEndpoint(state), { bound: bound.get(HEAD) as Server });

    hosts.push(...createHosts({ plans, bound, config, env, onEvent, elsewhere: options.addresses, localDispatch: options.localDispatch }));
    for (const plan of plans) onEvent({ type: "starting", server: plan.name, hosting: plan.hosting, url: urlOf(plan) });
    const died = Promise.race(hosts.map((host) => host.died));
    const hosted = await allReady({ hosts, state, died, config, signal: stop.signal, onEvent, began });
    await endpointsReady({ state, died, config, signal: stop.signal, onEvent });
    const headAddress = { ...head, url: `http://${head.host}:${head.port}` };
    state.instances = instanceInfos({ plans, hosts, hosted });
    state.ready = true;
    onEvent({ type: "ready", head: headAddress, instances: state.instances, elapsedMs: performance.now() - began });
    return {
      head: { ...head, url: `http://${head.host}:${head.port}` },
      instances: state.instances,
      died,
      stop: stopAll,
      [Symbol.asyncDispose]: () => stopAll("done"),
    };
  } catch (error) {
    await stopAll("a server could not be started");
    throw error;
  } finally {
    options.signal?.removeEventListener("abort", onAbort);
  }
}

/** Binds the head server's port and every instance's, fixed ones first, so that no free port is given where a fixed one is meant. */
async function bindAll(plans: InstancePlan[], config: LoadedConfig, bound: Map<string, Server>): Promise<{ host: string; port: number }> {
  const range = { low: Number(config.get("port_range_low") ?? 10_001), high: Number(config.get("port_range_high") ?? 20_000) };
  const taken = new Set<number>();
  const bindOne = async (name: string, host: string, wished: number | null): Promise<number> => {
    const { server, port } = await bindPort({ server: name, host, port: wished }, range, taken);
    taken.add(port);
    bound.set(name, server);
    return port;
  };
  const { host, port } = config.headServer;
  const headPort = await bindOne(HEAD, host, port === null ? null : Number(port));
  const fixed = plans.filter((plan) => plan.port > 0);
  for (const plan of [...fixed, ...plans.filter((one) => !fixed.includes(one))])
    plan.port = await bindOne(plan.name, plan.host, plan.port || null);
  return { host, port: headPort };
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

/** Waits for what the model servers stand in front of; a server that ends meanwhile ends the wait. */
async function endpointsReady({ state, died, config, signal, onEvent }: Omit<ReadyOptions, "hosts" | "began">): Promise<void> {
  const done = new AbortController();
  const waiting = awaitEndpoints({
    servers: config.servers,
    timeoutSeconds: config.get(ENDPOINT_TIMEOUT_KEY),
    signal: AbortSignal.any([signal, done.signal]),
    onEvent,
    onMissing: (endpoints) => {
      state.waiting = endpoints.flatMap(({ keys }) => keys);
    },
  });
  try {
    await Promise.race([waiting, died.then((error) => Promise.reject(error))]);
  } finally {
    done.abort();
    waiting.catch(() => {});
  }
}
