/** How long servers may take until they are ready. */
import type { LoadedConfig } from "../../config/index.ts";

const DEFAULT_SECONDS = 600;

/** `server_spinup_timeout_seconds`; 0 = no limit. */
export function spinupSeconds(config: LoadedConfig): number {
  return Number(config.get("server_spinup_timeout_seconds") ?? DEFAULT_SECONDS);
}
