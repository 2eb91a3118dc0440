/** A server program without a launcher: configured by the environment variables of the reference, ended by a signal. */
import { randomBytes } from "node:crypto";
import { logSettings, logText, parseLogEntry } from "../../telemetry/index.ts";
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
    writeLog: logWriter(logSettings((key) => global.get(key)).format),
    targets: async () => [{ host: plan.host, port: plan.port }],
  });
  process.stderr.write(`${plan.name} listens on http://${plan.host}:${program.listeners[0]?.port}\n`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void program.stop(GRACE_MS).then(() => process.exit(0)));
}

function logWriter(format: "text" | "json"): (line: string) => void {
  return (line) => {
    const entry = format === "text" ? parseLogEntry(line) : undefined;
    process.stderr.write(`${entry === undefined ? line : logText(entry)}\n`);
  };
}
