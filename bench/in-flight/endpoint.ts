/** The fake endpoint as a child, and what it counts. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";

export interface EndpointStats {
  requests: number;
  errors: number;
  dropped: number;
  refused_fd: number;
  max_open_calls: number;
}

export interface Endpoint extends AsyncDisposable {
  readonly urls: string[];
  stats(): Promise<EndpointStats>;
  reset(): Promise<void>;
}

export interface EndpointOptions {
  program: string;
  ports: number;
  workers: number;
  latencyMs: number;
  toolCalls: number;
}

export async function startEndpoint({ program, ports, workers, latencyMs, toolCalls }: EndpointOptions): Promise<Endpoint> {
  const first = await freePort();
  const settings = { FAKE_PORT: first, FAKE_PORTS: ports, FAKE_WORKERS: workers, FAKE_LATENCY_MS: latencyMs, FAKE_TOOL_CALLS: toolCalls };
  const env = Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]));
  const child = spawn(program, [], {
    env: { ...process.env, ...env, FAKE_TOOL_ARGS: '{"city":"Bern"}' },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  await Promise.race([once(child.stdout, "data"), exited.then(() => Promise.reject(new Error(`${program} ended`)))]);
  const origins = Array.from({ length: ports }, (_, index) => `http://127.0.0.1:${first + index}`);
  const get = async (path: string): Promise<unknown> => (await fetch(`${origins[0]}${path}`)).json();
  return {
    urls: origins.map((origin) => `${origin}/v1`),
    stats: () => get("/stats") as Promise<EndpointStats>,
    reset: async () => void (await get("/reset")),
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

/** A port below those that connections are given, so that the following ones are free too. */
async function freePort(): Promise<number> {
  for (let port = 18_080; port < 30_000; port += 16) {
    const server = createServer();
    const taken = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(true));
      server.listen(port, "127.0.0.1", () => resolve(false));
    });
    if (taken) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
  throw new Error("no free port from 18080 on");
}
