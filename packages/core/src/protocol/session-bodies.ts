/** Bodies that open and close sessions: of resources servers (`/seed_session`, `/close_session`) and of agents (`/v1/agent_sessions`). */
import { z } from "zod";
import { anyObject, isObject } from "./fields.ts";
import { type EpisodeId, episodeIdSchema, type TaskId, taskIdSchema } from "./ids.ts";
import { laxBool } from "./lax.ts";
import { fromZod, type Parser } from "./validation.ts";

const id = z.string().min(1);
const textMap = z.record(z.string(), z.string());

/** The typed seed of an environment server. */
export interface SeedRequest {
  resources_session_id: string;
  episode_id: EpisodeId;
  task_id: TaskId;
  task_data: Record<string, unknown>;
}

export const seedRequestSchema: z.ZodType<SeedRequest> = z.strictObject({
  resources_session_id: id,
  episode_id: episodeIdSchema,
  task_id: taskIdSchema,
  task_data: anyObject,
});

/** A seed: typed, or the row itself as agents send it. */
export type SeedBody = { kind: "typed"; seed: SeedRequest } | { kind: "row"; row: Record<string, unknown> };

const parseTypedSeed = fromZod(seedRequestSchema);
const parseRow = fromZod(anyObject);

/** Body of `/seed_session`. A body with `resources_session_id` is the typed form and must fit it; any other object is a row. */
export const parseSeedBody: Parser<SeedBody> = (body) => {
  if (isObject(body) && "resources_session_id" in body) {
    const typed = parseTypedSeed(body);
    return typed.ok ? { ok: true, value: { kind: "typed", seed: typed.value } } : typed;
  }
  const row = parseRow(body);
  return row.ok ? { ok: true, value: { kind: "row", row: row.value } } : row;
};

/** Answer to a typed seed; to a row it is `{}` and whatever the server adds. */
export interface SeedAnswer {
  resources_session_id: string;
  resources_tools: unknown;
  sandbox_access: unknown;
}

export const seedAnswerSchema: z.ZodType<SeedAnswer> = z.looseObject({
  resources_session_id: id,
  resources_tools: z.unknown().default(null),
  sandbox_access: z.unknown().default(null),
});
export const parseSeedAnswer: Parser<SeedAnswer> = fromZod(seedAnswerSchema);

export interface CloseSessionRequest {
  resources_session_id: string;
  episode_id: EpisodeId;
}

export const closeSessionSchema: z.ZodType<CloseSessionRequest> = z.strictObject({ resources_session_id: id, episode_id: episodeIdSchema });
/** Body of a resources server's `/close_session`; the answer is `{resources_session_id}`. */
export const parseCloseSessionBody: Parser<CloseSessionRequest> = fromZod(closeSessionSchema);

/** Leave to call tools directly on a resources server. */
export interface DirectToolAccess {
  kind: "direct_http";
  name: string;
  required: boolean;
  base_url: string;
  cookies: Record<string, string>;
  headers: Record<string, string>;
}

/** Leave to call tools of an MCP server. */
export interface McpToolAccess {
  kind: "mcp";
  name: string;
  required: boolean;
  connection: { transport: "streamable_http"; url: string; headers: Record<string, string> };
}

export type ToolAccess = DirectToolAccess | McpToolAccess;

const toolAccessSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("direct_http"),
    name: id,
    required: laxBool.default(true),
    base_url: id,
    cookies: textMap.default({}),
    headers: textMap.default({}),
  }),
  z.strictObject({
    kind: z.literal("mcp"),
    name: id,
    required: laxBool.default(true),
    connection: z.strictObject({
      transport: z.literal("streamable_http").default("streamable_http"),
      url: id,
      headers: textMap.default({}),
    }),
  }),
]);

export interface AgentSessionRequest {
  agent_session_id: string;
  episode_id: EpisodeId;
  task_id: TaskId;
  tool_accesses: ToolAccess[];
  sandbox_access: Record<string, unknown> | null;
}

export const agentSessionSchema: z.ZodType<AgentSessionRequest> = z.strictObject({
  agent_session_id: id,
  episode_id: episodeIdSchema,
  task_id: taskIdSchema,
  tool_accesses: z
    .array(toolAccessSchema)
    .refine((accesses) => new Set(accesses.map((access) => access.name)).size === accesses.length, {
      error: "tool access names must be unique",
    })
    .default([]),
  sandbox_access: z.nullable(anyObject).default(null),
}) as unknown as z.ZodType<AgentSessionRequest>;
/** Body of `/v1/agent_sessions`; the answer is `{agent_session_id}`. */
export const parseAgentSessionBody: Parser<AgentSessionRequest> = fromZod(agentSessionSchema);

export interface AgentSessionCloseRequest {
  agent_session_id: string;
  episode_id: EpisodeId;
}

export const agentSessionCloseSchema: z.ZodType<AgentSessionCloseRequest> = z.strictObject({
  agent_session_id: id,
  episode_id: episodeIdSchema,
});
/** Body of `/v1/agent_sessions/close`. */
export const parseAgentSessionCloseBody: Parser<AgentSessionCloseRequest> = fromZod(agentSessionCloseSchema);

export interface AgentSessionCloseAnswer {
  agent_session_id: string;
  agent_observations: unknown;
  /** Cookies of the resources server by name, as the session left them. */
  resources_cookies: Record<string, string> | null;
}

export const agentSessionCloseAnswerSchema: z.ZodType<AgentSessionCloseAnswer> = z.looseObject({
  agent_session_id: id,
  agent_observations: z.unknown().default(null),
  resources_cookies: z.nullable(textMap).default(null),
}) as unknown as z.ZodType<AgentSessionCloseAnswer>;
export const parseAgentSessionCloseAnswer: Parser<AgentSessionCloseAnswer> = fromZod(agentSessionCloseAnswerSchema);
