/** What launcher and child say to each other on their channel, and the environment a child starts with. */
import type { HostStatus } from "../../head/index.ts";
import type { ServerAddress } from "../../http/index.ts";
import type { HostedServer } from "./host.ts";
import type { InstancePlan } from "./plan.ts";

/** Launcher -> child: everything it needs; a `port` message follows for each socket that it is to listen on, unless it binds them itself. */
export interface StartMessage {
  type: "start";
  /** The instance that the process is for, then the environment servers in front of it; or all those of a copy of the shared host. */
  plans: InstancePlan[];
  /** Addresses of all instances of the run. */
  addresses: Record<string, ServerAddress>;
  /** The number of the process among those that run the same. */
  copy?: number;
  /** A child that takes the place of one that ended: nobody may accept a connection on its ports before it does. */
  bindsItself?: boolean;
  localDispatch?: boolean;
  freezeLocal?: boolean;
  runSecret: string;
  /** Stands in front of each line of the child's log. */
  logMark: string;
  /** The configuration's top-level keys that are no servers, resolved. */
  settings: Record<string, unknown>;
}

export interface PortMessage {
  type: "port";
  name: string;
  /** 0: the port that all copies share; 1: the process' own. */
  index: number;
}

export interface StopMessage {
  type: "stop";
  graceMs: number;
}

/** Answered with the same number. */
export interface StatusMessage {
  type: "status";
  id: number;
}

export type ToChild = StartMessage | PortMessage | StopMessage | StatusMessage;

/** Child -> launcher. */
export type FromChild =
  | { type: "status"; id: number; status: HostStatus }
  | { type: "ready"; hosted: HostedServer[] }
  | { type: "failed"; code: string; message: string; hint?: string };

/** Set for a child that has a launcher on its channel; without it the program serves alone. */
export const HOSTED_VARIABLE = "NG_GYM_HOSTED";
