/** Where the events of a run go: to whoever started it, and log lines to files too, where the configuration names a folder. */
import { resolve } from "node:path";
import type { LoadedConfig } from "../../config/index.ts";
import { logSettings, otelChoice } from "../../telemetry/index.ts";
import type { OnHostEvent } from "./events.ts";
import { openLogFiles } from "./log-files.ts";

export interface RunLog {
  readonly onEvent: OnHostEvent;
  close(): Promise<void>;
}

/** Says how lines of logs are wished. @throws GymError NG_ERR_FILE where the folder cannot be made. */
export async function openRunLog(options: { config: LoadedConfig; cwd?: string; onEvent?: OnHostEvent }): Promise<RunLog> {
  const { config, cwd, onEvent = () => {} } = options;
  const { format } = logSettings((key) => config.get(key));
  const folder = config.get("nemo_gym_log_dir");
  onEvent({ type: "logging", format });
  const { problem } = otelChoice(config.get("telemetry"), process.env);
  if (problem !== undefined) onEvent({ type: "log", server: "telemetry", line: `telemetry is off: ${problem}`, stream: "stderr" });
  if (typeof folder !== "string" || folder === "") return { onEvent, close: async () => {} };
  const files = await openLogFiles({ folder: resolve(cwd ?? process.cwd(), folder), format, onProblem: onEvent });
  return {
    onEvent: (event) => {
      files.take(event);
      onEvent(event);
    },
    close: () => files.close(),
  };
}
