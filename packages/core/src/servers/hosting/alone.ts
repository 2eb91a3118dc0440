/** A server program without a launcher: configured by the environment variables of the reference, ended by a signal. */
import { randomBytes } from "node:crypto";
import type { GymServerClass } from "../gym-server.ts";
import { startProgram } from "./child.ts";
import { planAlone } from "./plan-alone.ts";

const GRACE_MS = 5_000;

/** @throws GymError where the environment or the block is wrong. */
export async function runAlone(Class: GymServerClass): Promise<void> {
  const { plan, addresses, global } = planAlone(process.env);
  const program = await startProgram(Class, {
    start: { plans: [plan], addresses, runSecret: randomBytes(32).toString("base64url") },
    global,
    target: async () => ({ host: plan.host, port: plan.port }),
  });
  process.stderr.write(`${plan.name} listens on http://${plan.host}:${program.listeners[0]?.port}\n`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void program.stop(GRACE_MS).then(() => process.exit(0)));
}
