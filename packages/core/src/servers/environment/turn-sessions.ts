/** The two sessions of a turn. Each is registered for closing before it is opened: an answer that never came may have opened it. */
import { randomUUID } from "node:crypto";
import { badResponse, hopError, kindName } from "../../http/index.ts";
import {
  type AgentSessionCloseAnswer,
  type AgentSessionRequest,
  type EpisodeRequest,
  isObject,
  parseAgentSessionCloseAnswer,
  parseSeedAnswer,
  type SeedAnswer,
} from "../../protocol/index.ts";
import { takeCookieValues } from "../cookie-values.ts";
import type { Cleanup } from "./cleanup.ts";
import { SEED_TEXTS } from "./compat-seed-texts.ts";
import { checked, type Desk } from "./desk.ts";

/** @throws GymError NG_ERR_BAD_RESPONSE for an answer without a cookie or for another session. */
export async function openResources(environment: Desk, episode: EpisodeRequest, cleanup: Cleanup): Promise<SeedAnswer> {
  const { episode_id } = episode;
  const { task_id, task_input } = episode.task;
  const resources_session_id = newId("resources-session");
  cleanup.defer(`the session of ${environment.server}`, (signal) =>
    environment.post("/close_session", { resources_session_id, episode_id }, { kind: "control", signal }),
  );
  const at = { server: environment.server, path: "/seed_session", status: 200 };
  const seed = { resources_session_id, episode_id, task_id, task_data: task_input.task_data };
  const reply = await environment.post(at.path, seed, { kind: "seed" });
  if (environment.jar.size === 0) throw noSession(environment.server, SEED_TEXTS.noCookie);
  const answer = checked(reply, parseSeedAnswer, at);
  if (answer.resources_session_id !== resources_session_id) throw noSession(environment.server, SEED_TEXTS.otherId);
  return answer;
}

export interface AgentDesk {
  worker: Desk;
  /** Gets the cookies that the agent brings back. */
  environment: Desk;
  cleanup: Cleanup;
}

/**
 * Opens the agent's session; the returned function closes it.
 * @throws GymError NG_ERR_BAD_RESPONSE for an answer without a cookie or for another session.
 */
export async function openAgent(
  grant: Omit<AgentSessionRequest, "agent_session_id">,
  { worker, environment, cleanup }: AgentDesk,
): Promise<() => Promise<AgentSessionCloseAnswer>> {
  const { episode_id } = grant;
  const agent_session_id = newId("agent-session");
  const at = { server: worker.server, path: "/v1/agent_sessions", status: 200 };
  const close = cleanup.defer(`the session of ${worker.server}`, async (signal) => {
    const path = `${at.path}/close`;
    const reply = await worker.post(path, { agent_session_id, episode_id }, { kind: "control", signal });
    const answer = checked(reply, parseAgentSessionCloseAnswer, { ...at, path });
    takeCookieValues(environment.jar, answer.resources_cookies ?? {});
    return answer;
  });
  const reply = await worker.post(at.path, { agent_session_id, ...grant }, { kind: "seed" });
  const answer = reply.json();
  if (!isObject(answer) || answer.agent_session_id !== agent_session_id) throw badResponse(at, "another agent_session_id");
  if (worker.jar.size === 0) throw badResponse(at, "no cookie, so that its calls could not be told apart");
  return close;
}

function noSession(server: string, message: string): Error {
  const facts = { failure_kind: `${kindName(server)}:bad_response`, boundary: server, url: "/seed_session", status: 200 };
  return hopError("NG_ERR_BAD_RESPONSE", message, { facts });
}

/** As 0.7.0 writes them: 32 hexadecimal digits. */
function newId(kind: string): string {
  return `${kind}-${randomUUID().replaceAll("-", "")}`;
}
