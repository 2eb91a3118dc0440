/** The head server: tells commands the configuration, the instances and whether all of them are ready. */
import type { Endpoint, EndpointReply } from "../http/index.ts";
import type { ServerInstanceInfo } from "./instance-info.ts";

export interface HeadState {
  /** The configuration as YAML, interpolations unresolved, secrets as they are (loopback only). */
  configYaml: string;
  instances: ServerInstanceInfo[];
  ready: boolean;
  /** Names that are not ready yet. */
  waiting: string[];
}

const ALIVE = new Set(["/", "/livez"]);
const READY = new Set(["/health", "/healthz", "/readyz"]);

/** An endpoint over a state that its owner changes. */
export function createHeadEndpoint(state: HeadState): Endpoint {
  function get(path: string): EndpointReply {
    if (ALIVE.has(path)) return { status: 200, body: { status: "ok" } };
    if (READY.has(path))
      return state.ready ? { status: 200, body: { status: "ok" } } : { status: 503, body: { status: "starting", waiting: state.waiting } };
    if (path === "/global_config_dict_yaml") return { status: 200, body: state.configYaml };
    if (path === "/server_instances") return { status: 200, body: state.instances };
    if (path === "/docs") return { status: 200, body: { routes: [...ALIVE, ...READY, "/global_config_dict_yaml", "/server_instances"] } };
    return { status: 404, body: { detail: "Not Found" } };
  }
  return {
    handle: async ({ method, path }) => {
      const answer = get(path);
      return answer.status !== 404 && method !== "GET"
        ? { status: 405, body: { detail: "Method Not Allowed" }, headers: { allow: "GET" } }
        : answer;
    },
  };
}
