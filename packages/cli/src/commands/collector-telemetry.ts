/** Spans of the collector's own calls: the roots of the traces of a run, exported where the run's configuration asks for it. */
import { randomBytes } from "node:crypto";
import { createTelemetry, logText, parseLogEntry, type Telemetry } from "@ng-gym/core/telemetry";

const RUN_ID_BYTES = 6;

/** `blocks`: of the collector's own configuration, then of the servers'; the first that is there holds. Undefined where none asks for export. */
export function collectorTelemetry(
  blocks: readonly unknown[],
  around: { env: Readonly<Record<string, string | undefined>>; format: "text" | "json"; onLine: (line: string) => void },
): Telemetry | undefined {
  const block = blocks.find((one) => typeof one === "object" && one !== null);
  if ((block as { enabled?: unknown } | undefined)?.enabled !== true) return undefined;
  return createTelemetry({
    level: "warn",
    write: (line) => {
      const entry = around.format === "json" ? undefined : parseLogEntry(line);
      around.onLine(entry === undefined ? line : logText(entry));
    },
    otel: { block, env: around.env, runId: randomBytes(RUN_ID_BYTES).toString("hex") },
  });
}
