/**
 * The supervisor: starts every instance of a configuration, tells the head server about them, watches them, and ends them all. Whatever way it
 * ends, nothing that it started is left.
 */
import { type LoadedConfig, withAddresses } from "../../config/index.ts";
import { GymError } from "../../errors/index.ts";
import {
  createHeadEndpoint,
  createRunToken,
  type HeadState,
  isLoopback,
  type RunToken,
  type ServerInstanceInfo,
} from "../../head/index.ts";
import { watchLoad } from "../../telemetry/index.ts";
import { type Listener, listen } from "../listener.ts";
import { awaitEndpoints, ENDPOINT_TIMEOUT_KEY } from "../model-endpoints.ts";
import { createHosts, urlOf } from "./create-hosts.ts";
import type { OnHostEvent } from "./events.ts";
import type { Host, HostedServer } from "./host.ts";
import { statusOfHosts } from "./host-statuses.ts";
import { instanceInfos } from "./instance-infos.ts";
import { planInstances } from "./plan-instances.ts";
import { resolveInterpreters } from "./python-interpreter.ts";
import { openRunLog } from "./run-log.ts";
import { bindAll, type Sockets } from "./sockets.ts";
import { spinupSeconds } from "./spinup.ts";
import { stopHosts } from "./stop-hosts.ts";

const GRACE_MS = 5_000;
const WAITING_EVERY_MS = 1_000;

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
  /** Servers of one process get frozen copies of what they are sent: whoever changes what is not its own is found out. For tests. */
  freezeLocal?: boolean;
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
  const log = await openRunLog(options);
  const { onEvent } = log;
  const load = watchLoad();
  const began = performance.now();
  const plans = planInstances(options.config, { cwd: options.cwd ?? process.cwd(), env });
  const stop = new AbortController();
  let sockets: Sockets | undefined;
  const hosts: Host[] = [];
  let headListener: Listener | undefined;
  let runToken: RunToken | undefined;
  let stopped: Promise<void> | undefined;
  let state: HeadState | undefined;

  const stopAll = (reason: string): Promise<void> => {
    stopped ??= (async () => {
      onEvent({ type: "stopping", reason });
      if (state !== undefined) state.stopping = true;
      stop.abort(new GymError("NG_ERR_CANCELLED", reason));
      const killed = await stopHosts(hosts, plans, GRACE_MS);
      await headListener?.close(0);
      load.stop();
      runToken?.[Symbol.dispose]();
      sockets?.close();
      onEvent({ type: "stopped", killed });
      await log.close();
    })();
    return stopped;
  };
  const onAbort = (): void => void stopAll("interrupted while starting");
  options.signal?.addEventListener("abort", onAbort, { once: true });

  try {
    await resolveInterpreters(plans, env);
    sockets = await bindAll(plans, options.config);
    const head = { host: options.config.headServer.host, port: sockets.headPort };
    const servers = Object.fromEntries(plans.map(({ name, host, port }) => [name, { host, port }]));
    const config = withAddresses(options.config, { servers, headServer: head, env });
    state = { configYaml: config.yaml(), instances: [], ready: false, waiting: plans.map((plan) => plan.name) };
    if (!isLoopback(head.host)) {
      runToken = createRunToken(head, env);
      state.runToken = runToken.value;
    }
    headListener = await listen(createHeadEndpoint(state), { bound: sockets.head });

    const { addresses: elsewhere, localDispatch, freezeLocal } = options;
    hosts.push(...createHosts({ plans, sockets, config, env, onEvent, elsewhere, localDispatch, freezeLocal }));
    state.hosts = () => statusOfHosts(hosts, load);
    for (const plan of plans) onEvent({ type: "starting", server: plan.name, hosting: plan.hosting, url: urlOf(plan) });
    const died = Promise.race(hosts.map((host) => host.died));
    const hosted = await allReady({ hosts, state, died, config, signal: stop.signal, onEvent, began });
    await endpointsReady({ state, died, config, signal: stop.signal, onEvent });
    const headAddress = { ...head, url: `http://${head.host}:${head.port}` };
    state.instances = instanceInfos({ plans, hosts, hosted });
    state.ready = true;
    onEvent({
      type: "ready",
      head: headAddress,
      runToken: runToken && { file: runToken.file },
      instances: state.instances,
      elapsedMs: performance.now() - began,
    });
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
  const seconds = spinupSeconds(config);
  const deadline = Promise.withResolvers<never>();
  const overdue = (): void => {
    const message = `not ready within server_spinup_timeout_seconds (${seconds}): ${state.waiting.join(", ")}`;
    const hint =
      "Raise that key, or look at the log of the servers named here; one in Python must listen where NG_GYM_HOST and NG_GYM_PORT say.";
    deadline.reject(new GymError("NG_ERR_SERVER_START", message, { hint }));
  };
  tell();
  const ticker = setInterval(tell, WAITING_EVERY_MS);
  const timer = seconds > 0 ? setTimeout(overdue, seconds * 1000) : undefined;
  const missing = new Set(hosts);
  const starts = hosts.map(async (host) => {
    const hosted = await host.start(signal);
    missing.delete(host);
    // An instance with copies is ready when all of them are.
    const late = new Set([...missing].flatMap(({ names }) => names));
    state.waiting = state.waiting.filter((name) => late.has(name));
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
