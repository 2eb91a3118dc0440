/** How a child that fails its launcher is told: it cannot be started, or it ended by itself. */
import { CONFIG_VARIABLE } from "../../config/index.ts";
import { GymError, messageOf } from "../../errors/index.ts";

/** Longest text of one environment variable on Linux, its name included. */
const MAX_VARIABLE_BYTES = 128 * 1024;

/** `env`: the child's. */
export function cannotStart(name: string, env: NodeJS.ProcessEnv, cause: unknown): GymError {
  const size = Buffer.byteLength(env[CONFIG_VARIABLE] ?? "");
  const why =
    (cause as NodeJS.ErrnoException).code === "E2BIG" && size + CONFIG_VARIABLE.length + 2 > MAX_VARIABLE_BYTES
      ? `the configuration is handed to it in the variable ${CONFIG_VARIABLE} and is ${size} bytes long, more than the system takes`
      : messageOf(cause);
  return new GymError("NG_ERR_SERVER_START", `${name} cannot be started: ${why}`, { cause });
}

export interface ChildEnd {
  exitCode: number | null;
  signal: string | null;
  /** What it printed last. */
  lastLines: readonly string[];
}

export function endedByItself(server: string, pid: number | undefined, { exitCode, signal, lastLines }: ChildEnd): GymError {
  const how = signal ? `was ended by ${signal}` : `ended with exit code ${exitCode}`;
  const lines = lastLines.length > 0 ? `; its last lines:\n${lastLines.map((line) => `  ${line}`).join("\n")}` : ", having printed nothing";
  return new GymError("NG_ERR_SERVER_DIED", `${server} (process ${pid}) ${how}${lines}`, { details: { server, exitCode, signal } });
}
