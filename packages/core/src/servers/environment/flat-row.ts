/** Rows of collectors that know no episodes: a row becomes an episode, and what became of it a row. */
import { GymError } from "../../errors/index.ts";
import {
  type EpisodeAnswer,
  type EpisodeRequest,
  isObject,
  parseEpisodeRequest,
  ROW_KEYS,
  type RunBody,
  rolloutIdOf,
} from "../../protocol/index.ts";

/** Instance names: of the environment server and of what it drives. */
export interface TurnNames {
  self: string;
  agent: string;
  resources: string;
}

/** @throws GymError NG_ERR_DATA for a row of another server, without indices, or with an attempt that is none. */
export function episodeOfRow(row: RunBody, names: TurnNames): EpisodeRequest {
  const { agent_ref, task_source, ...rest } = row;
  const source = sourceOf(task_source, names);
  checkAgent(agent_ref, names);
  const rollout_id = rolloutIdOf(row);
  const task = row[ROW_KEYS.taskIndex];
  if (task === undefined || task === null || rollout_id === undefined)
    throw refused(`the row has no ${ROW_KEYS.taskIndex} and ${ROW_KEYS.rolloutIndex}, so it names no episode`);
  const attempt = row[ROW_KEYS.attemptIndex] ?? 0;
  if (!Number.isSafeInteger(attempt) || (attempt as number) < 0)
    throw refused(`${ROW_KEYS.attemptIndex} is ${JSON.stringify(attempt)}, expected a whole number`);
  const task_input = Object.fromEntries(Object.entries(rest).filter(([key]) => !key.startsWith("_ng_")));
  const parsed = parseEpisodeRequest({
    episode_id: { rollout_id, attempt },
    task: { task_id: { taskset: source, task_id: String(task) }, task_input },
  });
  if (parsed.ok) return parsed.value;
  throw refused(`the row makes no episode: ${parsed.issues.map(({ loc, msg }) => `${loc.slice(1).join(".")}: ${msg}`).join("; ")}`);
}

/** What the verifier said, or a failure in the keys of a sidecar row. */
export function rowOfAnswer({ result, failure }: EpisodeAnswer, { agent }: TurnNames): Record<string, unknown> {
  const agent_ref = { name: agent };
  if (result !== null) {
    const { ng_agent_observations: observations, ...row } = result;
    return { ...row, ...(observations === null ? {} : { ng_agent_observations: observations }), agent_ref };
  }
  const { failure_reason, terminal, stage, failure_kind, partial_response } = failure ?? { failure_reason: "", terminal: false };
  return {
    [ROW_KEYS.failureClass]: "environment_server_failed",
    [ROW_KEYS.failureTerminal]: terminal,
    [ROW_KEYS.failureMessage]: failure_reason,
    ...given(ROW_KEYS.failureStage, stage),
    ...given("failure_kind", failure_kind),
    ...given(ROW_KEYS.failurePartialResponse, partial_response),
    agent_ref,
  };
}

function given(key: string, value: unknown): Record<string, unknown> {
  return value === undefined || value === null ? {} : { [key]: value };
}

function sourceOf(taskSource: unknown, { self, agent, resources }: TurnNames): string {
  if (taskSource === undefined || taskSource === null) return resources;
  if (typeof taskSource === "string" && [self, agent, resources].includes(taskSource)) return taskSource;
  throw refused(`the row's task_source is ${JSON.stringify(taskSource)}, expected ${resources}, ${agent} or ${self}`);
}

function checkAgent(ref: unknown, { agent }: TurnNames): void {
  const name = isObject(ref) ? ref.name : undefined;
  if (name === undefined || name === null || name === "" || name === agent) return;
  throw refused(`the row's agent_ref names ${JSON.stringify(name)}, but this environment server drives ${agent}`);
}

function refused(reason: string): GymError {
  return new GymError("NG_ERR_DATA", reason);
}
