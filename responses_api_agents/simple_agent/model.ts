/** One call of the model server, and a look at what the loop relies on in its answer; the rest of it is checked where it is verified. */
import { badResponse, type CookieJar, raiseForStatus, type ServerClient } from "@ng-gym/core/http";
import { failureOfResponse, isObject, type ModelResponse, type ResponsesRequest } from "@ng-gym/core/protocol";

export interface ModelDesk {
  client: ServerClient;
  server: string;
  /** In front of the path, as the agent's own call had it. */
  prefix: string;
  rolloutId: string | undefined;
  jar: CookieJar;
  signal: AbortSignal;
}

/** @throws GymError NG_ERR_UPSTREAM_STATUS, NG_ERR_BAD_RESPONSE, or what the client throws when no answer can be had. */
export async function askModel(request: ResponsesRequest, desk: ModelDesk): Promise<ModelResponse> {
  const { client, server, prefix, rolloutId, jar, signal } = desk;
  const path = `${prefix}/v1/responses`;
  const headers = prefix === "" && rolloutId !== undefined ? { "x-ng-rollout-id": rolloutId } : undefined;
  const reply = raiseForStatus(await client.call(server, { kind: "model", path, body: request, headers, jar, signal }), server, path);
  const answer = reply.json();
  const failure = failureOfResponse(answer);
  if (failure !== undefined) throw badResponse({ server, path, status: reply.status }, failure);
  const fault = faultOf(answer);
  if (fault !== undefined)
    throw badResponse({ server, path, status: reply.status }, `no Response: ${fault}: ${reply.text().slice(0, 200)}`);
  return answer as ModelResponse;
}

function faultOf(answer: unknown): string | undefined {
  if (!isObject(answer)) return "expected a JSON object";
  if (!Array.isArray(answer.output)) return "expected output to be a list";
  const usage = answer.usage ?? null;
  if (usage !== null && !isObject(usage)) return "expected usage to be an object";
  for (const [i, item] of answer.output.entries()) {
    if (!isObject(item) || typeof item.type !== "string") return `expected output.${i} to have a type`;
    if (item.type !== "function_call") continue;
    const missing = ["name", "call_id", "arguments"].find((key) => typeof item[key] !== "string");
    if (missing !== undefined) return `expected output.${i}.${missing} to be a text`;
  }
  return undefined;
}
