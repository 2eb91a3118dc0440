/** Servers of the shipped configurations on free ports, and a client that reaches them as a collector does. */
import { fileURLToPath } from "node:url";
import { loadConfig } from "@ng-gym/core/config";
import type { Reply, ServerClient } from "@ng-gym/core/http";
import { clientOf, startServers } from "@ng-gym/core/servers";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

export interface Started extends AsyncDisposable {
  client: ServerClient;
  post(server: string, path: string, body?: unknown): Promise<Reply>;
}

export async function start(configPaths: readonly string[], overrides: readonly string[] = []): Promise<Started> {
  const argv = [`+config_paths=[${configPaths.join(",")}]`, "++head_server={host: 127.0.0.1, port: 0}", ...overrides];
  const config = await loadConfig({ argv, cwd: ROOT, env: {} });
  const servers = await startServers({ config, cwd: ROOT, env: {} });
  const client = clientOf(servers.instances);
  return {
    client,
    post: (server, path, body) => client.call(server, { kind: "control", path, body, replay: false }),
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await servers.stop("the test is over");
    },
  };
}
