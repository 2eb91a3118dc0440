/** What the supervisor tells while servers start, run and stop. Reporters print it. */
import type { ServerInstanceInfo } from "../../head/index.ts";
import type { EndpointEvent } from "../model-endpoints.ts";

export type HostEvent =
  | { type: "starting"; server: string; hosting: "process" | "shared"; url: string }
  /** Sent once when the wait begins and then each second: who is missing. */
  | { type: "waiting"; ready: number; total: number; missing: string[]; elapsedMs: number }
  /** After all servers are ready. */
  | EndpointEvent
  | { type: "ready"; head: { host: string; port: number; url: string }; instances: ServerInstanceInfo[]; elapsedMs: number }
  | { type: "log"; server: string; line: string; stream: "stdout" | "stderr" }
  | { type: "died"; server: string; exitCode: number | null; signal: string | null; lastLines: string[] }
  | { type: "stopping"; reason: string }
  | { type: "stopped"; killed: string[] };

export type OnHostEvent = (event: HostEvent) => void;
