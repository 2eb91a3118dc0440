/**
 * Servers for a test, started as a user's are: a configuration is loaded and checked, ports are bound, hosts started. Gone when the block that holds
 * them is left.
 */
import { defaultInstallRoot, loadConfig } from "@ng-gym/core/config";
import { clientOf, type ServerInstanceInfo } from "@ng-gym/core/head";
import type { CallKind, CookieJar, Reply, ServerClient } from "@ng-gym/core/http";
import { startServers } from "@ng-gym/core/servers";

export interface TestServer {
  type: "resources_servers" | "responses_api_agents" | "responses_api_models" | "environment_servers";
  /** Folder below the type. */
  implementation: string;
  /** Keys of its block; `entrypoint` need not be among them. */
  config?: Record<string, unknown>;
}

export interface TestServersOptions {
  /** By instance name. */
  servers?: Record<string, TestServer>;
  /** Configuration files, relative to `root`. */
  configPaths?: readonly string[];
  /** Overrides as on the command line. */
  overrides?: readonly string[];
  /** Further top-level keys. */
  topLevel?: Record<string, unknown>;
  hosting?: "shared" | "process";
  /** False: calls between servers of one process go over sockets too. */
  localDispatch?: boolean;
  /** False: what a server is handed by another one of its process may be changed. Else a change throws, so that a test finds it out. */
  freezeLocal?: boolean;
  /** Where other servers reach an instance that the test plays, by name. Calls then go over sockets unless `localDispatch` says otherwise. */
  addresses?: Record<string, string>;
  /** Folder that holds `resources_servers` and its siblings; default: the one that ng-gym is installed in. */
  root?: string;
}

export interface TestCall {
  /** What the call is for; default `control`. */
  kind?: CallKind;
  method?: "GET" | "POST";
  headers?: Record<string, string>;
  /** Sent with the call, and updated by its answer. */
  cookies?: CookieJar;
  signal?: AbortSignal;
  timeoutMs?: number;
}

export interface TestServers extends AsyncDisposable {
  /** Address of each instance, the generated environment servers too. */
  readonly urls: Readonly<Record<string, string>>;
  readonly instances: readonly ServerInstanceInfo[];
  /** Address of the head server. */
  readonly head: string;
  /** The client of a collector. */
  readonly client: ServerClient;
  /** One request over the socket of an instance, never sent twice. */
  call(name: string, path: string, body?: unknown, options?: TestCall): Promise<Reply>;
}

/** @throws GymError as a user would see it: NG_ERR_CONFIG, NG_ERR_SERVER_START, NG_ERR_SERVER_DIED. */
export async function startTestServers(options: TestServersOptions): Promise<TestServers> {
  const { configPaths = [], overrides = [], root = defaultInstallRoot() } = options;
  const blocks = Object.entries(options.servers ?? {}).map(([name, { type, implementation, config }]) => [
    name,
    { [type]: { [implementation]: { entrypoint: "app.py", ...(type === "resources_servers" ? { domain: "other" } : {}), ...config } } },
  ]);
  const config = await loadConfig({
    argv: [...(configPaths.length > 0 ? [`+config_paths=[${configPaths.join(",")}]`] : []), ...overrides],
    initial: {
      head_server: { host: "127.0.0.1", port: 0 },
      hosting: options.hosting ?? "shared",
      // A test's endpoint counts its requests and may be meant to be dead: nobody asks it beforehand.
      model_endpoint_readiness_timeout_seconds: 0,
      ...options.topLevel,
      ...Object.fromEntries(blocks),
    },
    cwd: root,
    env: {},
  });
  // A child needs what the test itself runs with (PATH, HOME); nothing of it may stand for configuration.
  const { NEMO_GYM_CONFIG_DICT: _dict, NEMO_GYM_CONFIG_PATH: _path, ...env } = process.env;
  const { addresses, localDispatch = addresses === undefined, freezeLocal = true } = options;
  const servers = await startServers({ config, cwd: root, env, localDispatch, freezeLocal, addresses });
  const client = clientOf(servers.instances);
  return {
    urls: Object.fromEntries(servers.instances.map(({ process_name, url }) => [process_name, url])),
    instances: servers.instances,
    head: servers.head.url,
    client,
    call: (name, path, body, { cookies, kind = "control", ...call } = {}) =>
      client.call(name, { kind, path, body, jar: cookies, replay: false, ...call }),
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await servers.stop("the test is over");
    },
  };
}
