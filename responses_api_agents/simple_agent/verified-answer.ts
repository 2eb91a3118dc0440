/** The verifier's answer as the rollout's row: every common key written out, the rest as the verifier gave it. */
import { badResponse, type Reply } from "@ng-gym/core/http";
import { type FieldIssue, isObject, materializeRequest, parseScoredAnswer, parseVerifyBody } from "@ng-gym/core/protocol";

type Answer = Record<string, unknown>;

/** Keys of a request and of a Response that are written out in full. */
const FULL_REQUEST_KEYS = 30;
const FULL_RESPONSE_KEYS = 33;

/** @throws GymError NG_ERR_BAD_RESPONSE for an answer without a reward or without the rollout it belongs to. */
export function verifiedAnswer(reply: Reply, server: string): Answer {
  const answer = reply.json();
  if (isComplete(answer)) return answer;
  const refuse = (issues: readonly FieldIssue[]): Error => {
    const what = issues.slice(0, 5).map(({ loc, msg }) => `${loc.slice(1).join(".") || "the body"}: ${msg}`);
    return badResponse({ server, path: "/verify", status: reply.status }, `something that is no verify answer (${what.join("; ")})`);
  };
  const rollout = parseVerifyBody(answer);
  if (!rollout.ok) throw refuse(rollout.issues);
  const score = parseScoredAnswer(answer);
  if (!score.ok) throw refuse(score.issues);
  const { responses_create_params, response } = rollout.value;
  return { ...score.value, responses_create_params: materializeRequest(responses_create_params), response };
}

/** Current servers write every key, and have checked what they write; older and foreign ones may not. */
function isComplete(answer: unknown): answer is Answer {
  if (!isObject(answer)) return false;
  const { reward, responses_create_params: request, response } = answer;
  if (typeof reward !== "number" || !("mask_sample" in answer && "failure_kind" in answer && "failure_reason" in answer)) return false;
  return (
    isObject(request) &&
    isObject(response) &&
    Object.keys(request).length >= FULL_REQUEST_KEYS &&
    Object.keys(response).length >= FULL_RESPONSE_KEYS
  );
}
