/** Names of tasks, rollouts and episodes as they travel. */
import { z } from "zod";
import { laxInt } from "./lax.ts";

/** What a rollout id may look like: it becomes a path segment and a file name. */
export const ROLLOUT_ID_PATTERN: RegExp = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const ATTEMPT_SUFFIX = /-a\d+$/;

export function isRolloutId(value: unknown): value is string {
  return typeof value === "string" && ROLLOUT_ID_PATTERN.test(value);
}

const rolloutId = z.string().superRefine((id, ctx) => {
  if (!ROLLOUT_ID_PATTERN.test(id)) {
    ctx.addIssue({
      code: "custom",
      message: `String should match pattern '${ROLLOUT_ID_PATTERN.source}'`,
      params: { type: "string_pattern_mismatch" },
    });
  } else if (ATTEMPT_SUFFIX.test(id)) ctx.addIssue("rollout_id must not end with the reserved attempt suffix '-a<N>'");
});

/** One episode: a rollout and the number of the attempt at it. */
export interface EpisodeId {
  rollout_id: string;
  attempt: number;
}

export const episodeIdSchema: z.ZodType<EpisodeId> = z.strictObject({
  rollout_id: rolloutId,
  attempt: laxInt.pipe(z.number().min(0)).default(0),
}) as unknown as z.ZodType<EpisodeId>;

/** One task of a task set. */
export interface TaskId {
  taskset: string;
  task_id: string;
}

export const taskIdSchema: z.ZodType<TaskId> = z.strictObject({ taskset: z.string().min(1), task_id: z.string().min(1) });

/** The name of an attempt in paths and files: the rollout id, with `-a<n>` from the second attempt on. */
export function attemptKey(episode: EpisodeId): string {
  return episode.attempt > 0 ? `${episode.rollout_id}-a${episode.attempt}` : episode.rollout_id;
}
