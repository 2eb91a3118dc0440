/** What the kind of a call decides: its time limit, the name of that limit, and whether it may be sent again after its body was delivered. */
import type { ClientLimits } from "./limits.ts";
import type { Call, CallKind } from "./message.ts";

const LIMIT_OF = {
  model: "modelTimeoutMs",
  tool: "toolTimeoutMs",
  verify: "verifyTimeoutMs",
  seed: "seedTimeoutMs",
  run: "runTimeoutMs",
  agent: "runTimeoutMs",
  control: "controlTimeoutMs",
} as const satisfies Record<CallKind, keyof ClientLimits>;

const LIMIT_NAME = {
  model: "model time-out",
  tool: "tool time-out",
  verify: "verify time-out",
  seed: "seed time-out",
  run: "run time-out",
  agent: "run time-out",
  control: "control time-out",
} as const satisfies Record<CallKind, string>;

/** `timeoutMs` counts from the write of the request; 0 = none. */
export function timeLimitOf(call: Call, limits: ClientLimits): { timeoutMs: number; timeoutName: string } {
  return { timeoutMs: call.timeoutMs ?? limits[LIMIT_OF[call.kind]], timeoutName: LIMIT_NAME[call.kind] };
}

/** All but a whole rollout and an agent's own loop, where the call does not say. */
export function replays(call: Call): boolean {
  return call.replay ?? (call.kind !== "run" && call.kind !== "agent");
}
