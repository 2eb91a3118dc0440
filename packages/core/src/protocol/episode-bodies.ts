/** The episode protocol of environment servers: a task goes in, a result or a failure comes out, both with status 200. */
import { z } from "zod";
import { FAILURE_TEXT_LIMIT_CHARS } from "./failures.ts";
import { anyObject, isObject } from "./fields.ts";
import { type EpisodeId, episodeIdSchema, type TaskId, taskIdSchema } from "./ids.ts";
import { laxBool } from "./lax.ts";
import { type ResponsesRequest, responsesRequestSchema } from "./responses-request.ts";
import { fromZod, type Parser } from "./validation.ts";

export interface TaskInput {
  responses_create_params: ResponsesRequest;
  task_data: Record<string, unknown>;
}

export interface EpisodeRequest {
  episode_id: EpisodeId;
  task: { task_id: TaskId; task_input: TaskInput };
}

/** Flat fields of a task input are folded into `task_data`; the same field in both places must have one value. */
const taskInputSchema = z
  .looseObject({ responses_create_params: responsesRequestSchema, task_data: anyObject.optional() })
  .transform((input, ctx): TaskInput => {
    const { responses_create_params, task_data, ...flat } = input;
    for (const [key, value] of Object.entries(flat)) {
      if (task_data === undefined || !Object.hasOwn(task_data, key) || JSON.stringify(task_data[key]) === JSON.stringify(value)) continue;
      ctx.addIssue(`Conflicting task field '${key}' inside and outside task_data`);
      return z.NEVER;
    }
    return { responses_create_params, task_data: Object.keys(flat).length === 0 ? (task_data ?? {}) : { ...flat, ...task_data } };
  });

export const episodeRequestSchema: z.ZodType<EpisodeRequest> = z.strictObject({
  episode_id: episodeIdSchema,
  task: z.strictObject({ task_id: taskIdSchema, task_input: taskInputSchema }),
}) as unknown as z.ZodType<EpisodeRequest>;
/** Body of `/run` of an environment server that speaks the episode protocol. */
export const parseEpisodeRequest: Parser<EpisodeRequest> = fromZod(episodeRequestSchema);

/** True for a body that is meant as an episode, not as a flat row. */
export function isEpisodeShaped(body: unknown): boolean {
  return isObject(body) && "episode_id" in body && "task" in body && !("responses_create_params" in body);
}

/** Where an episode failed. */
export const EPISODE_STAGES = ["admission", "seed", "agent", "cleanup", "verification"] as const;
export type EpisodeStage = (typeof EPISODE_STAGES)[number];

export interface EpisodeFailure {
  failure_reason: string;
  /** True where another attempt cannot succeed. */
  terminal: boolean;
  failure_kind?: string | null;
  stage?: string | null;
  partial_response?: unknown;
}

export interface EpisodeAnswer {
  episode_id: EpisodeId;
  task_id: TaskId;
  result: Record<string, unknown> | null;
  failure: EpisodeFailure | null;
}

const failureSchema = z.looseObject({
  failure_reason: z.string(),
  terminal: laxBool,
  failure_kind: z.string().nullish(),
  stage: z.string().nullish(),
  partial_response: z.unknown().optional(),
});

export const episodeAnswerSchema: z.ZodType<EpisodeAnswer> = z
  .looseObject({
    episode_id: episodeIdSchema,
    task_id: taskIdSchema,
    result: z.nullable(anyObject).default(null),
    failure: z.nullable(failureSchema).default(null),
  })
  .refine((answer) => (answer.result === null) !== (answer.failure === null), {
    error: "an episode ends with either a result or a failure",
  }) as unknown as z.ZodType<EpisodeAnswer>;
export const parseEpisodeAnswer: Parser<EpisodeAnswer> = fromZod(episodeAnswerSchema);

const COLLECTORS_OWN: ReadonlySet<string> = new Set(["ng_trajectory", "ng_model_call_capture", "ng_perf"]);

/** A key that collection itself writes on a record: the result of an episode must not bring it. */
export function isCollectorKey(key: string): boolean {
  return key.startsWith("_ng_") || COLLECTORS_OWN.has(key);
}

/** A failure as it travels: the reason is cut to its limit. */
export function episodeFailure(failure: EpisodeFailure): EpisodeFailure {
  return {
    ...failure,
    failure_reason: failure.failure_reason.slice(0, FAILURE_TEXT_LIMIT_CHARS),
    partial_response: failure.partial_response ?? null,
  };
}
