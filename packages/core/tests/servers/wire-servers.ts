/** Starts the servers of a wire transcript behind its recording proxies. */
import { fileURLToPath } from "node:url";
import type { StartedServers, WireSpec } from "@ng-gym/testing";
import { loadChildConfig } from "../../src/config/index.ts";
import { startServers } from "../../src/servers/index.ts";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

/** Keys to set in the block of a server, by its name. */
export type BlockKeys = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** As a launcher would, from a configuration that is complete already: peers and proxies are addresses of servers that run elsewhere. */
export async function startWireServers(spec: WireSpec, extra: BlockKeys = {}): Promise<StartedServers> {
  const blocks = spec.servers.map(({ name, type, dir, config }) => [
    name,
    { [type]: { [dir]: { entrypoint: "app.py", ...config, ...extra[name], host: "127.0.0.1" } } },
  ]);
  const tree = {
    head_server: { host: "127.0.0.1", port: 0 },
    model_endpoint_readiness_timeout_seconds: 0,
    ...spec.topLevel,
    ...Object.fromEntries(blocks),
  };
  const first = spec.servers[0]?.name ?? "";
  const { config } = loadChildConfig({ NEMO_GYM_CONFIG_DICT: JSON.stringify(tree), NEMO_GYM_CONFIG_PATH: first });
  const running = await startServers({
    config,
    cwd: ROOT,
    env: {},
    addresses: Object.fromEntries(
      [...spec.servers, ...spec.peers].map(({ name, address }) => [name, `http://${address.host}:${address.port}`]),
    ),
    localDispatch: false,
  });
  return {
    listening: Object.fromEntries(running.instances.map(({ process_name, host, port }) => [process_name, { host, port }])),
    close: () => running.stop("the transcript is over"),
  };
}
