/** What launcher and child say to each other on their channel, and the environment a child starts with. */
import type { HostedServer } from "./host.ts";
import type { InstancePlan } from "./plan.ts";

/** Launcher -> child: everything it needs; one `port` message with a socket follows for each instance. */
export interface StartMessage {
  type: "start";
  /** The instance that the process is for, then the environment servers in front of it. */
  plans: InstancePlan[];
  /** Addresses of all instances of the run. */
  addresses: Record<string, { url: string; h2c?: boolean }>;
  runSecret: string;
  /** The configuration's top-level keys that are no servers, resolved. */
  settings: Record<string, unknown>;
}

export interface PortMessage {
  type: "port";
  name: string;
}

export interface StopMessage {
  type: "stop";
  graceMs: number;
}

export type ToChild = StartMessage | PortMessage | StopMessage;

/** Child -> launcher. */
export type FromChild = { type: "ready"; hosted: HostedServer[] } | { type: "failed"; code: string; message: string; hint?: string };

/** Set for a child that has a launcher on its channel; without it the program serves alone. */
export const HOSTED_VARIABLE = "NG_GYM_HOSTED";
