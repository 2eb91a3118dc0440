/** Scores and answers of every rollout, read once. */
import { GymError } from "../errors/index.ts";
import type { Row, TaskRows } from "./types.ts";

export type ScoreFn = (row: Row) => Readonly<Record<string, number | boolean | null | undefined>>;

export interface ScoredRollout {
  /** Score name -> finite number. */
  scores: ReadonlyMap<string, number>;
  /** Text that is equal exactly for equal answers; undefined: no answer. */
  answer: string | undefined;
}

export interface ScoreTable {
  /** Sorted; names that no rollout has are not among them. */
  names: string[];
  tasks: ScoredRollout[][];
  hasAnswers: boolean;
}

export const NO_ANSWER = "no_answer";

export function readScores(
  tasks: readonly TaskRows[],
  { scoreFn = rewardAsAccuracy, answerKey }: { scoreFn?: ScoreFn; answerKey?: string },
): ScoreTable {
  const names = new Set<string>();
  const read = tasks.map((task, taskNumber) =>
    task.map((row, rolloutNumber) => {
      const place = `rollout ${rolloutNumber} of task ${taskNumber} (both counted from 0)`;
      const scores = new Map<string, number>();
      for (const [name, value] of Object.entries(scoreFn(row))) {
        const score = readScore(value, `score ${name} in ${place}`);
        if (score !== undefined) scores.set(name, score);
      }
      const answer = answerKey === undefined ? undefined : answerText(row[answerKey], `answer ${answerKey} in ${place}`);
      if (answerKey !== undefined) scores.set(NO_ANSWER, answer === undefined ? 1 : 0);
      for (const name of scores.keys()) names.add(name);
      return { scores, answer };
    }),
  );
  return { names: [...names].sort(), tasks: read, hasAnswers: answerKey !== undefined };
}

function rewardAsAccuracy(row: Row): Record<string, number | boolean> {
  const { reward } = row;
  if (typeof reward === "number" || typeof reward === "boolean") return { accuracy: reward };
  throw new GymError("NG_ERR_DATA", `pass@k needs a number or boolean in reward, got ${JSON.stringify(reward)?.slice(0, 80)}`, {
    hint: "Give computePassMajorityMetrics a scoreFn if the score is in another field.",
  });
}

/** A score that is not finite cannot be averaged and counts as absent. */
function readScore(value: unknown, place: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "boolean") return Number(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  throw new GymError("NG_ERR_DATA", `${place} must be a number or boolean, got ${JSON.stringify(value)?.slice(0, 80)}`);
}

/** 1, 1.0 and true are one answer; the empty text is an answer. */
function answerText(value: unknown, place: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return `t${value}`;
  if (typeof value === "number" || typeof value === "boolean") return `n${Number(value)}`;
  throw new GymError("NG_ERR_DATA", `${place} must be text, a number or null to be voted on, got ${JSON.stringify(value)?.slice(0, 80)}`);
}
