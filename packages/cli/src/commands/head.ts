/** The head server that the configuration names. */
import type { LoadedConfig } from "@ng-gym/core/config";

/** Where a head server listens unless the configuration says otherwise. */
const DEFAULT_PORT = 11_000;

export function headOf(config: LoadedConfig): { host: string; port: number; url: string } {
  const { host } = config.headServer;
  const port = config.headServer.port ?? DEFAULT_PORT;
  return { host, port, url: `http://${host}:${port}` };
}
