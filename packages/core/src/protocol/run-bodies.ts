/** Bodies of `/run`, `/verify` and `/aggregate_metrics`. Keys of the row that no schema names travel along untouched. */
import { z } from "zod";
import { laxBool, laxFloat } from "./lax.ts";
import { type FullResponsesRequest, materializeRequest, type ResponsesRequest, responsesRequestSchema } from "./responses-request.ts";
import { type ModelResponse, modelResponseSchema } from "./responses-response.ts";
import { fromZod, type Parser } from "./validation.ts";

/** A row on its way to an agent. */
export interface RunBody {
  responses_create_params: ResponsesRequest;
  [key: string]: unknown;
}

export const runBodySchema: z.ZodType<RunBody> = z.looseObject({ responses_create_params: responsesRequestSchema });
/** Body of an agent's `/run`: a row whose request is read in the sent form. */
export const parseRunBody: Parser<RunBody> = fromZod(runBodySchema);

/** A row with the model's answer. */
export interface VerifyBody extends RunBody {
  response: ModelResponse;
}

export const verifyBodySchema: z.ZodType<VerifyBody> = z.looseObject({
  responses_create_params: responsesRequestSchema,
  response: modelResponseSchema,
});
/** Body of `/verify`. A server reads its own fields of the row with its own schema. */
export const parseVerifyBody: Parser<VerifyBody> = fromZod(verifyBodySchema);

/** What a verifier measured. */
export interface Measured {
  reward: number;
  /** True where the row is no measurement: it is kept out of every metric. */
  mask_sample?: boolean;
  failure_kind?: string | null;
  failure_reason?: string | null;
  [key: string]: unknown;
}

export interface VerifyAnswer extends Measured {
  responses_create_params: FullResponsesRequest;
  response: ModelResponse;
  mask_sample: boolean;
  failure_kind: string | null;
  failure_reason: string | null;
}

/** The answer of `/verify`: the request in full, the response, and what was measured with the failure keys filled in. */
export function verifyAnswer(body: VerifyBody, measured: Measured): VerifyAnswer {
  return {
    responses_create_params: materializeRequest(body.responses_create_params),
    response: body.response,
    mask_sample: false,
    failure_kind: null,
    failure_reason: null,
    ...measured,
  };
}

/** What a reader of a foreign verify answer may rely on: a reward, and the failure keys with their defaults. Request and response pass unread. */
export interface ScoredAnswer {
  reward: number;
  mask_sample: boolean;
  failure_kind: string | null;
  failure_reason: string | null;
  [key: string]: unknown;
}

export const scoredAnswerSchema: z.ZodType<ScoredAnswer> = z.looseObject({
  reward: laxFloat.refine(Number.isFinite, { error: "reward must be a finite number" }),
  mask_sample: z.nullable(laxBool).default(false),
  failure_kind: z.nullable(z.string()).default(null),
  failure_reason: z.nullable(z.string()).default(null),
}) as unknown as z.ZodType<ScoredAnswer>;
export const parseScoredAnswer: Parser<ScoredAnswer> = fromZod(scoredAnswerSchema);

export interface AggregateBody {
  verify_responses: Record<string, unknown>[];
}

export const aggregateBodySchema: z.ZodType<AggregateBody> = z.object({ verify_responses: z.array(z.looseObject({})) });
/** Body of `/aggregate_metrics`. */
export const parseAggregateBody: Parser<AggregateBody> = fromZod(aggregateBodySchema);

export interface AggregateAnswer {
  group_level_metrics: Record<string, unknown>[];
  agent_metrics: Record<string, unknown>;
  key_metrics: Record<string, unknown>;
  perf_summary: Record<string, unknown> | null;
  repeat_level_metrics: Record<string, unknown>[];
}

export const aggregateAnswerSchema: z.ZodType<AggregateAnswer> = z.looseObject({
  group_level_metrics: z.array(z.looseObject({})).default([]),
  agent_metrics: z.looseObject({}).default({}),
  key_metrics: z.looseObject({}).default({}),
  perf_summary: z.nullable(z.looseObject({})).default(null),
  repeat_level_metrics: z.array(z.looseObject({})).default([]),
}) as unknown as z.ZodType<AggregateAnswer>;
/** Answer of `/aggregate_metrics`; servers before 0.7.0 leave the last two keys out. */
export const parseAggregateAnswer: Parser<AggregateAnswer> = fromZod(aggregateAnswerSchema);
