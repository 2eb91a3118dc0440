/** Misbehaviour on request: waiting, failing, never answering. Which calls are hit is drawn, so the same calls are hit on every run. */
import { setTimeout as wait } from "node:timers/promises";
import { GymError } from "@ng-gym/core/errors";
import { HttpError } from "@ng-gym/core/servers";
import type { SimulatedModelConfig } from "./config.ts";
import type { Draw } from "./draw.ts";

/**
 * Returns when the model may answer.
 * @throws HttpError `fail_status` for the calls that fail; GymError NG_ERR_CANCELLED when the caller leaves, which is the only end of a silent call.
 */
export async function misbehave(config: SimulatedModelConfig, draw: Draw, signal: AbortSignal): Promise<void> {
  const delay = config.latency_ms + config.jitter_ms * draw.unit("jitter");
  try {
    if (draw.unit("silent") < config.silent_rate) await untilAborted(signal);
    if (delay > 0) await wait(delay, undefined, { signal });
  } catch (cause) {
    throw new GymError("NG_ERR_CANCELLED", "simulated_model: the caller went away", { cause });
  }
  if (draw.unit("fail") < config.fail_rate) {
    throw new HttpError(config.fail_status, "simulated failure (fail_rate)");
  }
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
