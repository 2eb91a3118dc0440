/** `servers`: base classes, `serve`, supervisor. See README.md. */
export { Agent, type AgentConfig, agentConfig } from "./agent.ts";
export type { AgentSessionEnd, AgentSessionHooks } from "./agent-sessions.ts";
export { type BlockIssue, blockIssues, blockLines } from "./block-problems.ts";
export { cookieValues, jarOfValues } from "./cookie-values.ts";
export { cookiesFor } from "./downstream-cookies.ts";
export type { EditorSchemaOptions, JsonSchema } from "./editor-schema/index.ts";
export { environmentConfigs } from "./environment/config.ts";
export { HttpError } from "./error-reply.ts";
export { callGranted } from "./granted-call.ts";
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
export { findPython } from "./hosting/python-interpreter.ts";
export { loadServerClass } from "./hosting/server-class.ts";
export type { RunningServers, StartOptions } from "./hosting/start-servers.ts";
export type { EndpointAnswer, ModelEndpoint } from "./model-endpoints.ts";
export { ModelServer, type ModelServerConfig, modelServerConfig } from "./model-server.ts";
export { replicaOf } from "./replica.ts";
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
export { type SessionServerConfig, sessionLimits, sessionServerConfig } from "./session-limits.ts";
export { createSessionStore, type SessionEnd, type SessionKey, type SessionStore, type SessionStoreOptions } from "./session-store.ts";
export { askEndpoints, copyProblem, editorSchema, planProblem, startServers } from "./start.ts";
