/** The environment servers that run turns: one takes episodes, its variant takes the flat rows of collectors that know no episodes. */
import type { EndpointReply, EndpointRequest, ServerClient } from "../../http/index.ts";
import { parseEpisodeRequest, parseRunBody } from "../../protocol/index.ts";
import type { Log } from "../gym-server.ts";
import type { SingleTurnConfig } from "./config.ts";
import { createEnvironmentEndpoint, type EnvironmentEndpoint, parsedBody } from "./endpoint.ts";
import { createEpisodes, type Episodes } from "./episode.ts";
import { episodeOfRow, rowOfAnswer } from "./flat-row.ts";
import { relay } from "./relay.ts";
import { endOfRow } from "./row-end.ts";
import { createSingleTurn } from "./single-turn.ts";

export interface TurnServerOptions {
  name: string;
  config: SingleTurnConfig;
  client: ServerClient;
  log: Log;
  capturesTokens: () => boolean;
}

/** Takes and answers episodes: always 200, a failure too. */
export function createTurnServer(options: TurnServerOptions): EnvironmentEndpoint {
  return turnServer("SingleAgentTurn", options, (episodes) => async (request) => {
    const episode = parsedBody(request, parseEpisodeRequest);
    const { answer, headers } = await episodes.play(episode, request.signal);
    const end = answer.result === null ? answer : { ...answer, ...endOfRow(answer.result, "verification") };
    return { status: 200, body: end, headers };
  });
}

/** Takes rows and answers rows: what a verifier said, or the keys of a failure. */
export function createLegacyTurnServer(options: TurnServerOptions): EnvironmentEndpoint {
  const { name, config } = options;
  const names = { self: name, agent: config.agent_server.name, resources: config.resources_server.name };
  return turnServer("SingleAgentTurnLegacy", options, (episodes) => async (request) => {
    const episode = episodeOfRow(parsedBody(request, parseRunBody), names);
    const { answer, headers } = await episodes.play(episode, request.signal);
    return { status: 200, body: rowOfAnswer(answer, names), headers };
  });
}

function turnServer(
  className: string,
  { name, config, client, log, capturesTokens }: TurnServerOptions,
  answerWith: (episodes: Episodes) => (request: EndpointRequest) => Promise<EndpointReply>,
): EnvironmentEndpoint {
  const agent = config.agent_server.name;
  const resources = config.resources_server.name;
  const run = createSingleTurn({ client, resources, agent, transports: config.resources_tool_transports, capturesTokens });
  const episodes = createEpisodes({ name, config, log, run });
  const endpoint = createEnvironmentEndpoint({
    name,
    className,
    run: answerWith(episodes),
    aggregateMetrics: (request) => relay(request, { agent, client, kind: "control" }),
  });
  return { ...endpoint, queued: episodes.queued, stop: episodes.stop };
}
