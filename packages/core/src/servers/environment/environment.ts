/**
 * Environment servers by implementation: the endpoint that stands between the collector and an agent. Each lives in the process that hosts its
 * agent, so that the hop is a function call.
 */
import type { z } from "zod";
import type { Endpoint, ServerClient } from "../../http/index.ts";
import type { Log } from "../gym-server.ts";
import { createRelay, relayConfig } from "./relay.ts";

export interface EnvironmentOptions {
  name: string;
  /** The block, as its schema gave it. */
  config: Record<string, unknown>;
  client: ServerClient;
  log: Log;
}

export interface EnvironmentKind {
  configSchema: z.ZodType;
  create(options: EnvironmentOptions): Endpoint;
}

export const ENVIRONMENT_KINDS: Readonly<Record<string, EnvironmentKind>> = {
  legacy_agent: {
    configSchema: relayConfig,
    create: ({ name, config, client }) => createRelay({ name, agent: (config.agent_server as { name: string }).name, client }),
  },
};

/** @throws Error naming the kinds there are. */
export function environmentKind(implementation: string): EnvironmentKind {
  const kind = Object.hasOwn(ENVIRONMENT_KINDS, implementation) ? ENVIRONMENT_KINDS[implementation] : undefined;
  if (kind === undefined)
    throw new Error(
      `environment servers of type ${implementation} are not offered; there are ${Object.keys(ENVIRONMENT_KINDS).join(", ")}`,
    );
  return kind;
}
