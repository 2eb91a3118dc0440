/** Servers in Python for a test, started as a launcher starts them, from the fixtures' folder or another one. */
import { fileURLToPath } from "node:url";
import { loadConfig } from "../../../src/config/index.ts";
import { type HostEvent, type RunningServers, startServers } from "../../../src/servers/index.ts";

export const FIXTURES: string = fileURLToPath(new URL("./fixtures", import.meta.url));

export interface PythonServers extends AsyncDisposable {
  readonly running: RunningServers;
  readonly events: readonly HostEvent[];
  /** Answer of a POST to the instance. */
  post(name: string, path: string, body?: object): Promise<unknown>;
}

export interface PythonServersOptions {
  config: string;
  overrides?: readonly string[];
  cwd?: string;
  env?: Record<string, string>;
}

export async function startPythonServers({
  config,
  overrides = [],
  cwd = FIXTURES,
  env = {},
}: PythonServersOptions): Promise<PythonServers> {
  const loaded = await loadConfig({
    argv: [`+config_paths=[${config}]`, ...overrides],
    initial: { head_server: { host: "127.0.0.1", port: 0 } },
    cwd,
    env: {},
  });
  const events: HostEvent[] = [];
  const running = await startServers({
    config: loaded,
    cwd,
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1", ...env },
    onEvent: (event) => events.push(event),
  });
  return {
    running,
    events,
    async post(name, path, body = {}) {
      const url = running.instances.find((instance) => instance.config_path === name)?.url;
      const answer = await fetch(url + path, {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      });
      return await answer.json();
    },
    [Symbol.asyncDispose]: () => running.stop("the test is over"),
  };
}
