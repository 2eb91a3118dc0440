/** One rollout: seed the session, let the agent work, verify what came out. Three calls; what fails in one of them ends the rollout. */
import { CookieJar, type Reply, raiseForStatus, type ServerClient } from "@ng-gym/core/http";
import { type ModelResponse, materializeRequest, type ResponsesRequest, type RunBody } from "@ng-gym/core/protocol";
import { cookiesFor } from "@ng-gym/core/servers";
import { verifiedAnswer } from "./verified-answer.ts";

export interface RolloutDesk {
  client: ServerClient;
  /** Name of the agent. */
  self: string;
  /** Name of the resources server. */
  server: string;
  /** Cookies that the caller of `/run` brought: they reach the seeding. */
  jar: CookieJar;
  signal: AbortSignal;
  /** The agent's own `/v1/responses`. */
  callSelf(request: ResponsesRequest, jar: CookieJar): Promise<Reply>;
  /** Instead of a verification, this reward. */
  fixedReward: number | undefined;
}

export async function runRollout(body: RunBody, desk: RolloutDesk): Promise<Record<string, unknown>> {
  const { client, server, signal } = desk;
  const row = { ...body, responses_create_params: materializeRequest(body.responses_create_params) };

  const seeding = cookiesFor(server, desk.jar);
  const seeded = raiseForStatus(
    await client.call(server, { kind: "seed", path: "/seed_session", body: row, jar: seeding, signal }),
    server,
    "/seed_session",
  );

  const worked = raiseForStatus(await desk.callSelf(body.responses_create_params, jarOf(seeded)), desk.self, "/v1/responses");
  const response = worked.json() as ModelResponse;

  if (desk.fixedReward !== undefined) {
    const unmasked = { mask_sample: false, failure_kind: null, failure_reason: null };
    return { ...row, response, reward: desk.fixedReward, ...unmasked, verification_skipped: true };
  }
  const session = cookiesFor(server, jarOf(worked));
  const verified = await client.call(server, { kind: "verify", path: "/verify", body: { ...row, response }, jar: session, signal });
  return verifiedAnswer(raiseForStatus(verified, server, "/verify"), server);
}

/** Each answer's own cookies replace what was brought: they are complete, since every server re-sends its session. */
function jarOf(reply: Reply): CookieJar {
  const jar = new CookieJar();
  jar.take(reply.setCookies);
  return jar;
}
