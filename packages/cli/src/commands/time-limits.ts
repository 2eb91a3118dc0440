/** Time limits of a start, which are read only when they are needed: what is no number is said before anything starts. */
import type { LoadedConfig } from "@ng-gym/core/config";
import { GymError } from "@ng-gym/core/errors";

const KEYS = ["server_spinup_timeout_seconds", "model_endpoint_readiness_timeout_seconds"];

/** @throws GymError NG_ERR_CONFIG */
export function checkTimeLimits(config: LoadedConfig): void {
  const wrong = KEYS.map((key) => [key, config.get<unknown>(key) ?? 0] as const).filter(([, value]) => typeof value !== "number");
  if (wrong.length === 0) return;
  const lines = wrong.map(([key, value]) => `${key} must be a number of seconds, got ${JSON.stringify(value)}`);
  throw new GymError("NG_ERR_CONFIG", lines.join("\n"), { hint: `\`ng-dump-config --explain ${wrong[0]?.[0]}\` shows where it was set.` });
}
