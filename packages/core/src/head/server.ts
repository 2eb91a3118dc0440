/** The head server: tells commands the configuration, the instances and whether all of them are ready. */
import type { Endpoint, EndpointReply, EndpointRequest } from "../http/index.ts";
import type { ServerInstanceInfo } from "./instance-info.ts";
import { RUN_TOKEN_HEADER, sameToken } from "./run-token.ts";
import { createStatusRoutes, STATUS_PATHS, type StatusSource } from "./status-routes.ts";

export interface HeadState extends StatusSource {
  /** The configuration as YAML, interpolations unresolved, secrets as they are. */
  configYaml: string;
  /** Whoever asks for the configuration has to send this. Absent on the loopback. */
  runToken?: string;
  instances: ServerInstanceInfo[];
  ready: boolean;
  /** Names that are not ready yet. */
  waiting: string[];
  /** The run is being ended: what breaks from here on is no fault of who calls. */
  stopping?: boolean;
}

const TOKEN_WANTED = `This head server listens beyond its machine, so its configuration is told only to who sends the token of the run as ${RUN_TOKEN_HEADER}.`;
/** What the readiness paths say of a run that is being ended. */
export const STOPPING = "stopping";
const ALIVE = new Set(["/", "/livez"]);
const READY = new Set(["/health", "/healthz", "/readyz"]);

/** An endpoint over a state that its owner changes. */
export function createHeadEndpoint(state: HeadState): Endpoint {
  const statusOf = createStatusRoutes(state);
  function get(path: string, headers: EndpointRequest["headers"]): EndpointReply {
    if (ALIVE.has(path)) return { status: 200, body: { status: "ok" } };
    if (READY.has(path) && state.stopping === true) return { status: 503, body: { status: STOPPING } };
    if (READY.has(path))
      return state.ready ? { status: 200, body: { status: "ok" } } : { status: 503, body: { status: "starting", waiting: state.waiting } };
    if (path === "/global_config_dict_yaml") {
      const mayRead = state.runToken === undefined || sameToken(headers[RUN_TOKEN_HEADER], state.runToken);
      return mayRead ? { status: 200, body: state.configYaml } : { status: 401, body: { detail: TOKEN_WANTED } };
    }
    if (path === "/server_instances") return { status: 200, body: state.instances };
    if (path === "/docs")
      return { status: 200, body: { routes: [...ALIVE, ...READY, "/global_config_dict_yaml", "/server_instances", ...STATUS_PATHS] } };
    return { status: 404, body: { detail: "Not Found" } };
  }
  return {
    handle: async ({ method, path, headers }) => {
      const isStatus = STATUS_PATHS.includes(path);
      if (isStatus && method === "GET") return statusOf(path);
      const answer = isStatus ? { status: 405, body: null } : get(path, headers);
      return answer.status !== 404 && method !== "GET"
        ? { status: 405, body: { detail: "Method Not Allowed" }, headers: { allow: "GET" } }
        : answer;
    },
  };
}
