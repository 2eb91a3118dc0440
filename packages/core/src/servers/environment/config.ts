/** Blocks of environment servers, by implementation. A key that none of them reads is an error: a limit that is misspelt would be no limit. */
import { z } from "zod";
import { serverConfigSchema, serverRefSchema } from "../gym-server.ts";

const seconds = z.number().positive();

/** Limits of a server that runs episodes. */
const episodeLimits = {
  /** Longest clean-up of one episode, and longest wait for an agent that closes its session. */
  cleanup_timeout_seconds: seconds,
  /** Episodes at work at once; the others wait, at most `queue_timeout_seconds`. Left out: no limit. */
  max_concurrent_episodes: z.number().int().positive().nullable().optional(),
  queue_timeout_seconds: seconds.nullable().optional(),
  /** Longest time of one episode from its admission on. Left out: no limit. */
  default_episode_timeout_seconds: seconds.nullable().optional(),
};

const agentRef = z.looseObject({ ...serverRefSchema.shape, type: z.literal("responses_api_agents").optional() });

/** Keys of a `legacy_agent` block. It runs no episodes itself, so its limits limit nothing; they are read because 0.7.0 gives them. */
export const relayConfig = strict({
  ...serverConfigSchema.shape,
  agent_server: agentRef,
  ...episodeLimits,
  cleanup_timeout_seconds: seconds.optional(),
});
export type RelayConfig = z.infer<typeof relayConfig>;

/** How an agent may be let to the tools of a resources server. */
export const TOOL_TRANSPORTS = ["direct_http", "mcp"] as const;

/** Keys of `single_agent_turn` and of its variant for flat rows. */
export const singleTurnConfig = strict({
  ...serverConfigSchema.shape,
  ...episodeLimits,
  resources_server: serverRefSchema,
  agent_server: agentRef,
  /** Left out: the agent is let to no tools. */
  resources_tool_transports: z.array(z.enum(TOOL_TRANSPORTS)).default([]),
}).refine((config) => !config.max_concurrent_episodes || Boolean(config.queue_timeout_seconds), {
  error: "is required beside max_concurrent_episodes",
  path: ["queue_timeout_seconds"],
});
export type SingleTurnConfig = z.infer<typeof singleTurnConfig>;

export const environmentConfigs: Readonly<Record<string, z.ZodObject>> = {
  legacy_agent: relayConfig,
  single_agent_turn: singleTurnConfig,
  single_agent_turn_legacy: singleTurnConfig,
};

/** An object schema that refuses keys it does not know, but those that are marked as one's own (`x-`). */
function strict<T extends z.core.$ZodShape>(shape: T): z.ZodObject<T, z.core.$loose> {
  return z.looseObject(shape).superRefine((block, ctx) => {
    for (const key of Object.keys(block)) if (!Object.hasOwn(shape, key) && !key.startsWith("x-")) ctx.addIssue(`has no setting '${key}'`);
  });
}
