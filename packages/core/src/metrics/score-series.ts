/** Per-task values of one score for k = 1 ... K; each outer list is indexed by k - 1, each inner one holds the tasks that count there. */
import { passAtEveryK } from "./pass-at-k.ts";
import type { ScoredRollout, ScoreTable } from "./score-table.ts";

export interface ScoreSeries {
  /** Tasks with at least k scored rollouts. */
  pass: number[][];
  /** Mean over the scored ones of the first k rollouts; tasks with none there are left out. */
  average: number[][];
  /** All tasks; undefined without answers. */
  majority: number[][] | undefined;
  /** Index i: the score of rollout i, over the tasks that have it. */
  sample: number[][];
}

export function scoreSeries(table: ScoreTable, name: string, maxK: number): ScoreSeries {
  const lists = (): number[][] => Array.from({ length: maxK }, () => []);
  const series = { pass: lists(), average: lists(), majority: table.hasAnswers ? lists() : undefined, sample: lists() };
  for (const task of table.tasks) {
    for (const [index, value] of passValues(task, name).entries()) series.pass[index]?.push(value);
    addAverages(series, { task, name, maxK });
    if (series.majority !== undefined) addMajorities(series.majority, { task, name, maxK });
  }
  return series;
}

interface TaskScore {
  task: readonly ScoredRollout[];
  name: string;
  maxK: number;
}

/** The estimator where every value is 0 or 1, else the best of the first k. */
function passValues(task: readonly ScoredRollout[], name: string): number[] {
  const values = task.flatMap((rollout) => rollout.scores.get(name) ?? []);
  if (values.every((value) => value === 0 || value === 1)) return passAtEveryK(values.length, values.filter((value) => value === 1).length);
  let best = Number.NEGATIVE_INFINITY;
  return values.map((value) => {
    best = Math.max(best, value);
    return best;
  });
}

function addAverages(series: Pick<ScoreSeries, "average" | "sample">, { task, name, maxK }: TaskScore): void {
  let total = 0;
  let count = 0;
  for (let k = 1; k <= maxK; k++) {
    const value = task[k - 1]?.scores.get(name);
    if (value !== undefined) {
      total += value;
      count++;
      series.sample[k - 1]?.push(value);
    }
    if (count > 0) series.average[k - 1]?.push(total / count);
  }
}

/** Votes are counted by answer; the winner is worth the mean of its scores, tied winners the mean of theirs, a task without answers 0. */
function addMajorities(majority: number[][], { task, name, maxK }: TaskScore): void {
  const votes = new Map<string, { count: number; total: number }>();
  let most = 0;
  let tied = 0;
  let tiedTotal = 0;
  for (let k = 1; k <= maxK; k++) {
    const rollout = task[k - 1];
    const score = rollout?.scores.get(name);
    if (rollout?.answer !== undefined && score !== undefined) {
      const vote = votes.get(rollout.answer) ?? { count: 0, total: 0 };
      votes.set(rollout.answer, vote);
      vote.count++;
      vote.total += score;
      // An answer that is already among the first can only overtake: what is tied never changes its mean.
      if (vote.count > most) [most, tied, tiedTotal] = [vote.count, 1, vote.total / vote.count];
      else if (vote.count === most) [tied, tiedTotal] = [tied + 1, tiedTotal + vote.total / vote.count];
    }
    majority[k - 1]?.push(tied === 0 ? 0 : tiedTotal / tied);
  }
}

/** Index k - 1: sample standard deviation of the scored ones of the first k rollouts, for tasks with at least two (Welford's recurrence). */
export function sampleSpreads(table: ScoreTable, name: string, maxK: number): number[][] {
  const spreads: number[][] = Array.from({ length: maxK }, () => []);
  for (const task of table.tasks) {
    let count = 0;
    let centre = 0;
    let squares = 0;
    for (let k = 1; k <= maxK; k++) {
      const value = task[k - 1]?.scores.get(name);
      if (value !== undefined) {
        count++;
        const step = value - centre;
        centre += step / count;
        squares += step * (value - centre);
      }
      if (count > 1) spreads[k - 1]?.push(Math.sqrt(squares / (count - 1)));
    }
  }
  return spreads;
}
