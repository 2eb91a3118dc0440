/** A host runs some instances in one process. The supervisor knows hosts, not how they run. */
import type { GymError } from "../../errors/index.ts";
import type { HostStatus } from "../../head/index.ts";

export interface HostedServer {
  name: string;
  /** Does the instance compute metrics beyond the baseline? Undefined where it cannot be told (another language). */
  metrics?: "baseline" | "own" | "of-resources-server";
}

export interface Host {
  /** Names of the instances it runs. */
  readonly names: string[];
  readonly hosting: "process" | "shared";
  readonly pid: number;
  /** How often it was started anew; undefined where that cannot be. */
  readonly restarts?: number;
  /** When it was last started anew, in milliseconds since 1970. */
  readonly restartedAt?: number | undefined;
  /** Starts all of them; resolves when each of them answers. @throws GymError NG_ERR_SERVER_START, NG_ERR_SERVER_DIED. */
  start(signal: AbortSignal): Promise<HostedServer[]>;
  /** Resolves when the host ended by itself while it was needed; never where it cannot. */
  readonly died: Promise<GymError>;
  /** Ends everything; resolves with the names that had to be killed. */
  stop(graceMs: number): Promise<string[]>;
  /** What goes on in it, within a bounded time; never rejects. */
  status(): Promise<HostStatus>;
}
