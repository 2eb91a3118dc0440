/** The telemetry of one process of a run, from the settings of the run and the secrets of its servers. */
import { createHmac } from "node:crypto";
import { createTelemetry, logSettings, type Telemetry } from "../../telemetry/index.ts";
import type { GlobalConfig } from "../gym-server.ts";
import { secretTexts } from "./secret-texts.ts";

const RUN_ID_DIGITS = 12;

export interface ProcessTelemetry {
  readonly telemetry: Telemetry;
  /** Keeps the secrets of a block out of the log from now on. */
  hide(block: unknown): void;
}

export function openTelemetry(options: { global: GlobalConfig; runSecret: string; writeLog: (line: string) => void }): ProcessTelemetry {
  const { global, runSecret, writeLog } = options;
  // What does not resolve was reported when the configuration was loaded.
  const setting = (key: string): unknown => {
    try {
      return global.get(key);
    } catch {
      return undefined;
    }
  };
  const secrets = new Set<string>();
  const hide = (block: unknown): void => {
    for (const secret of secretTexts(block)) secrets.add(secret);
  };
  hide({ policy_api_key: setting("policy_api_key"), telemetry: setting("telemetry") });
  // One id for the whole run, whichever process works it out.
  const runId = createHmac("sha256", runSecret).update("run id").digest("hex").slice(0, RUN_ID_DIGITS);
  const otel = { block: setting("telemetry"), env: process.env, runId };
  return { telemetry: createTelemetry({ ...logSettings(setting), write: writeLog, secrets, otel }), hide };
}
