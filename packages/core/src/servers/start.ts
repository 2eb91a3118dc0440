/** The supervisor's door: loaded when something is started, so that a server program does not load what starts servers. */
import type { RunningServers, StartOptions } from "./hosting/start-servers.ts";

/**
 * Starts the head server and every server of a configuration.
 * @throws GymError NG_ERR_CONFIG, NG_ERR_PORT_IN_USE, NG_ERR_SERVER_START, NG_ERR_SERVER_DIED; what was started is stopped first.
 */
export async function startServers(options: StartOptions): Promise<RunningServers> {
  const supervisor = await import("./hosting/start-servers.ts");
  return supervisor.startServers(options);
}
