/** What the supervisor tells while servers start, run and stop. Reporters print it. */
import type { ServerInstanceInfo } from "../../head/index.ts";
import type { LogEntry } from "../../telemetry/index.ts";
import type { EndpointEvent } from "../model-endpoints.ts";

export type HostEvent =
  | { type: "starting"; server: string; hosting: "process" | "shared"; url: string }
  /** Sent once when the wait begins and then each second: who is missing. */
  | { type: "waiting"; ready: number; total: number; missing: string[]; elapsedMs: number }
  /** After all servers are ready. */
  | EndpointEvent
  | {
      type: "ready";
      head: { host: string; port: number; url: string };
      /** Present where commands need the token of the run: the file that holds it, none where the environment gave it. */
      runToken?: { file: string | undefined };
      instances: ServerInstanceInfo[];
      elapsedMs: number;
    }
  /** How lines of logs are wished; comes before the first of them. */
  | { type: "logging"; format: "text" | "json" }
  /** `entry`: a line of a server's log, `line` being how it reads; without it a line that a child printed by itself. */
  | { type: "log"; server: string; line: string; stream: "stdout" | "stderr"; entry?: LogEntry }
  | { type: "died"; server: string; exitCode: number | null; signal: string | null; lastLines: string[] }
  /** It ended by itself and will be started anew after the delay. */
  | { type: "restarting"; server: string; restart: number; of: number; delayMs: number }
  | { type: "restarted"; server: string; pid: number }
  | { type: "stopping"; reason: string }
  | { type: "stopped"; killed: string[] };

export type OnHostEvent = (event: HostEvent) => void;
