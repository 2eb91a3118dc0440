/** An episode for an agent that only knows rows: the task goes in as a flat row, what the agent answers comes out as a result or a failure. */
import { badResponse, type EndpointReply, type EndpointRequest, raiseForStatus, type ServerClient } from "../../http/index.ts";
import { type EpisodeAnswer, type EpisodeRequest, isObject, parseEpisodeRequest, ROW_KEYS } from "../../protocol/index.ts";
import { parsedBody } from "./endpoint.ts";
import { factHeaders, failureOf } from "./failure.ts";
import { endOfRow } from "./row-end.ts";

export async function runEpisodeByRow(
  request: EndpointRequest,
  { agent, client }: { agent: string; client: ServerClient },
): Promise<EndpointReply> {
  const episode = parsedBody(request, parseEpisodeRequest);
  const answer = (end: Pick<EpisodeAnswer, "result" | "failure">): EpisodeAnswer => ({
    episode_id: episode.episode_id,
    task_id: episode.task.task_id,
    ...end,
  });
  try {
    const reply = await client.call(agent, { kind: "run", path: "/run", body: rowOf(episode), signal: request.signal });
    const row = raiseForStatus(reply, agent, "/run").json();
    if (!isObject(row)) throw badResponse({ server: agent, path: "/run", status: reply.status }, "something that is no object");
    return { status: 200, body: answer(endOfRow(row, "agent")) };
  } catch (error) {
    const failure = failureOf(error, { stage: "agent" });
    return { status: 200, body: answer({ result: null, failure }), headers: factHeaders(error, agent) };
  }
}

function rowOf({ episode_id, task }: EpisodeRequest): Record<string, unknown> {
  return {
    ...task.task_input.task_data,
    responses_create_params: task.task_input.responses_create_params,
    [ROW_KEYS.rolloutId]: episode_id.rollout_id,
    [ROW_KEYS.attemptIndex]: episode_id.attempt,
  };
}
