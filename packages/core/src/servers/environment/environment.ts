/**
 * Environment servers by implementation: the endpoint that stands between the collector and an agent. Each lives in the process that hosts its
 * agent, so that the hop is a function call.
 */
import type { z } from "zod";
import type { ServerClient } from "../../http/index.ts";
import { isObject } from "../../protocol/index.ts";
import type { Log } from "../gym-server.ts";
import { environmentConfigs, type RelayConfig, type SingleTurnConfig } from "./config.ts";
import type { EnvironmentEndpoint } from "./endpoint.ts";
import { createRelay } from "./relay.ts";
import { createLegacyTurnServer, createTurnServer, type TurnServerOptions } from "./turn-server.ts";

export interface EnvironmentOptions {
  name: string;
  /** The block, as its schema gave it. */
  config: Record<string, unknown>;
  client: ServerClient;
  log: Log;
  /** A top-level key of the configuration. */
  setting?: (key: string) => unknown;
  /** The block of an instance of the same process, once it was added. */
  blockOf?: (name: string) => Record<string, unknown> | undefined;
}

export interface EnvironmentKind {
  configSchema: z.ZodType;
  create(options: EnvironmentOptions): EnvironmentEndpoint;
}

const KINDS: Readonly<Record<string, (options: EnvironmentOptions) => EnvironmentEndpoint>> = {
  legacy_agent: ({ name, config, client, log }) => {
    const relay = config as unknown as RelayConfig;
    tellIdleLimits(relay, log);
    return createRelay({ name, agent: relay.agent_server.name, client });
  },
  single_agent_turn: (options) => createTurnServer(turnOptions(options)),
  single_agent_turn_legacy: (options) => createLegacyTurnServer(turnOptions(options)),
};

/** Kinds of 0.7.0 that are not among ours, and what there is instead. */
const NOT_OFFERED: Readonly<Record<string, string>> = {
  nemo_user_sim: "the simulated user of NeMo Gym is not offered; single_agent_turn runs tasks without one",
};

/** @throws Error naming the kinds there are. */
export function environmentKind(implementation: string): EnvironmentKind {
  const create = Object.hasOwn(KINDS, implementation) ? KINDS[implementation] : undefined;
  const configSchema = environmentConfigs[implementation];
  if (create !== undefined && configSchema !== undefined) return { configSchema, create };
  const why = Object.hasOwn(NOT_OFFERED, implementation) ? NOT_OFFERED[implementation] : "there is no such kind";
  throw new Error(`environment servers of type ${implementation}: ${why} (there are ${Object.keys(KINDS).join(", ")})`);
}

function turnOptions({ setting, blockOf, ...options }: EnvironmentOptions): TurnServerOptions {
  const config = options.config as unknown as SingleTurnConfig;
  return { ...options, config, capturesTokens: () => capturesTokens(setting?.("token_id_capture"), blockOf?.(config.agent_server.name)) };
}

/** `token_id_capture` at the top level turns capture on, for all agents or for those whose block says so. */
function capturesTokens(capture: unknown, agent: Record<string, unknown> | undefined): boolean {
  if (!isObject(capture) || capture.enabled !== true) return false;
  return capture.all_agents === true || agent?.token_id_capture === true;
}

/** A relay hands calls on as they come: who sets a limit must know that it limits nothing. */
function tellIdleLimits(config: RelayConfig, log: Log): void {
  const set = (["max_concurrent_episodes", "queue_timeout_seconds", "default_episode_timeout_seconds"] as const).filter(
    (key) => (config[key] ?? null) !== null,
  );
  if (set.length > 0) log.warn(`legacy_agent only hands calls on: ${set.join(", ")} ${set.length === 1 ? "has" : "have"} no effect`);
}
