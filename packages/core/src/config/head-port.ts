/** The head server's port is taken as the reference takes it, whatever it is; who starts one, or checks a configuration, wants a port. */
import type { LoadedConfig } from "./types.ts";

/** A port that is none would be taken for "any": the head server would listen where no other terminal looks. Undefined where it fits. */
export function headPortProblem(config: LoadedConfig): string | undefined {
  const { port: written } = (config.get("head_server") ?? {}) as { port?: unknown };
  if (written === undefined || written === null) return undefined;
  const { port } = config.headServer;
  if (port !== null && port >= 0 && port <= 65_535) return undefined;
  return `head_server.port: expected a whole number from 0 to 65535 (0: any that is free), got ${JSON.stringify(written)}`;
}
