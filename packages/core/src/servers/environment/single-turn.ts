/**
 * One turn of one agent in one environment: the resources server is seeded, the agent gets a session with leave to use its tools, answers, and gives
 * the session back; then the resources server verifies. What was opened is closed in any case, the resources server's session last.
 */
import { badResponse, type ServerClient } from "../../http/index.ts";
import { attemptKey, failureOfResponse, isObject, parseScoredAnswer } from "../../protocol/index.ts";
import { checked, createDesk } from "./desk.ts";
import type { EpisodeRun } from "./episode.ts";
import { type ToolTransport, toolAccesses } from "./tool-accesses.ts";
import { openAgent, openResources } from "./turn-sessions.ts";

export interface SingleTurnOptions {
  client: ServerClient;
  resources: string;
  agent: string;
  transports: readonly ToolTransport[];
  /** Are the agent's token ids captured? Its calls then go by a path of their own. */
  capturesTokens: () => boolean;
}

export function createSingleTurn({ client, resources, agent, transports, capturesTokens }: SingleTurnOptions): EpisodeRun {
  return async (episode, { signal, progress, cleanup }) => {
    const { episode_id } = episode;
    const { task_id, task_input } = episode.task;
    const rolloutId = attemptKey(episode_id);
    const environment = createDesk({ client, server: resources, rolloutId, signal });
    const worker = createDesk({ client, server: agent, rolloutId, signal });

    const answer = await openResources(environment, episode, cleanup);
    const tool_accesses = toolAccesses(transports, { server: resources, client, jar: environment.jar, answer });
    const sandbox_access = isObject(answer.sandbox_access) ? answer.sandbox_access : null;
    const closeAgent = await openAgent({ episode_id, task_id, tool_accesses, sandbox_access }, { worker, environment, cleanup });

    progress.stage = "agent";
    const path = `/ng-rollout/${rolloutId}${capturesTokens() ? "/training-token-capture" : ""}/v1/responses`;
    const worked = await worker.post(path, task_input.responses_create_params, { kind: "agent" });
    const response = worked.json();
    if (!isObject(response) || !Array.isArray(response.output))
      throw badResponse({ server: agent, path, status: worked.status }, `no Response: ${worked.text().slice(0, 200)}`);
    const failure = failureOfResponse(response);
    if (failure !== undefined) throw badResponse({ server: agent, path, status: worked.status }, failure);
    progress.response = response;

    progress.stage = "cleanup";
    const { agent_observations } = await closeAgent();

    progress.stage = "verification";
    const body = { ...task_input.task_data, responses_create_params: task_input.responses_create_params, response };
    const verified = await environment.post("/verify", body, { kind: "verify" });
    return { ...checked(verified, parseScoredAnswer, { server: resources, path: "/verify" }), ng_agent_observations: agent_observations };
  };
}
