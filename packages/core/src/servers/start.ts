/** Doors to what only commands need, loaded when it is called, so that a server program does not load it. */
import type { LoadedConfig, ServerInstance } from "../config/index.ts";
import { messageOf } from "../errors/index.ts";
import type { EditorSchemaOptions, JsonSchema } from "./editor-schema/index.ts";
import type { PlanContext, TopLevel } from "./hosting/plan-instances.ts";
import type { RunningServers, StartOptions } from "./hosting/start-servers.ts";
import type { EndpointAnswer } from "./model-endpoints.ts";

/**
 * Starts the head server and every server of a configuration.
 * @throws GymError NG_ERR_CONFIG, NG_ERR_PORT_IN_USE, NG_ERR_SERVER_START, NG_ERR_SERVER_DIED,
 * NG_ERR_UNREACHABLE; what was started is stopped first.
 */
export async function startServers(options: StartOptions): Promise<RunningServers> {
  const supervisor = await import("./hosting/start-servers.ts");
  return supervisor.startServers(options);
}

/** Why an instance cannot be hosted as its block and the top level say; undefined where it can. */
export async function planProblem(instance: ServerInstance, context: PlanContext & TopLevel): Promise<string | undefined> {
  const { planInstance } = await import("./hosting/plan-instances.ts");
  try {
    planInstance(instance, context);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Why the processes that run an instance together cannot share its limits; undefined where they can. */
export async function copyProblem(name: string, config: LoadedConfig, context: PlanContext): Promise<string | undefined> {
  const { copyProblemOf } = await import("./hosting/plan-instances.ts");
  return copyProblemOf(name, config, context);
}

/** Asks the endpoint behind each model server once whether it answers. */
export async function askEndpoints(servers: readonly ServerInstance[], signal?: AbortSignal): Promise<EndpointAnswer[]> {
  const endpoints = await import("./model-endpoints.ts");
  return endpoints.askEndpoints(servers, signal);
}

/** The JSON Schema of configuration files, for editors. */
export async function editorSchema(options: EditorSchemaOptions): Promise<JsonSchema> {
  const schema = await import("./editor-schema/index.ts");
  return schema.editorSchema(options);
}
