/** The last line of a server's `app.ts`: starts the server when the file is the program, does nothing when a host imports it. */
import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { GymServerClass } from "./gym-server.ts";
import { HOSTED_VARIABLE } from "./hosting/child-protocol.ts";

/**
 * Starts the instance that `NEMO_GYM_CONFIG_PATH` names from the configuration in `NEMO_GYM_CONFIG_DICT`, and stays until it is told to stop.
 * @throws GymError where the environment or the block is wrong.
 */
export async function serve(meta: ImportMeta, Class: GymServerClass): Promise<void> {
  if (!isMain(meta)) return;
  if (process.env[HOSTED_VARIABLE] === "1" && process.send) (await import("./hosting/child.ts")).runChild(Class);
  else await (await import("./hosting/alone.ts")).runAlone(Class);
}

function isMain(meta: ImportMeta): boolean {
  const program = process.argv[1];
  if (program === undefined) return false;
  try {
    return realpathSync(program) === realpathSync(fileURLToPath(meta.url));
  } catch {
    return false;
  }
}
