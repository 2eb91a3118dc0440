/** `servers`: base classes, `serve`, supervisor. See README.md. */
export { Agent, type AgentConfig, agentConfig } from "./agent.ts";
export { cookiesFor } from "./downstream-cookies.ts";
export type { EditorSchemaOptions, JsonSchema } from "./editor-schema/index.ts";
export { relayConfig } from "./environment/relay.ts";
export { HttpError } from "./error-reply.ts";
export {
  type GlobalConfig,
  GymServer,
  type GymServerClass,
  type Log,
  type ServerConfig,
  type ServerOptions,
  type ServerRef,
  serverConfigSchema,
  serverRefSchema,
} from "./gym-server.ts";
export type { HostEvent, OnHostEvent } from "./hosting/events.ts";
export { loadServerClass } from "./hosting/server-class.ts";
export type { RunningServers, StartOptions } from "./hosting/start-servers.ts";
export type { EndpointAnswer, ModelEndpoint } from "./model-endpoints.ts";
export { ModelServer, type ModelServerConfig, modelServerConfig } from "./model-server.ts";
export {
  ResourcesServer,
  type ResourcesServerConfig,
  type ReverifyMode,
  resourcesServerConfig,
  type Tool,
  tool,
  type VerifyInput,
  type VerifyResult,
} from "./resources-server.ts";
export { type Handler, type RequestContext, type Route, reply } from "./route.ts";
export { serve } from "./serve.ts";
export { Session } from "./session.ts";
export { askEndpoints, editorSchema, startServers } from "./start.ts";
