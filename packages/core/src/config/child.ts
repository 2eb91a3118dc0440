/** How a configuration reaches a child process: by two environment variables, never by its command line, and without a second look at it. */
import { GymError } from "../errors/index.ts";
import { loadText } from "./files.ts";
import { finish } from "./finish.ts";
import { Problems } from "./problems.ts";
import type { LoadedConfig, ServerInstance } from "./types.ts";

export const CONFIG_VARIABLE = "NEMO_GYM_CONFIG_DICT";
export const NAME_VARIABLE = "NEMO_GYM_CONFIG_PATH";

/** Variables for the child that runs one instance. The text holds secrets and unresolved interpolations. */
export function childEnvironment(config: LoadedConfig, instanceName: string): Record<string, string> {
  return { [CONFIG_VARIABLE]: config.yaml(), [NAME_VARIABLE]: instanceName };
}

export interface ChildConfig {
  config: LoadedConfig;
  name: string;
  instance: ServerInstance;
}

/** The configuration that a parent handed down. Throws NG_ERR_CONFIG where there is none or it lacks the instance. */
export function loadChildConfig(env: Record<string, string | undefined>): ChildConfig {
  const name = env[NAME_VARIABLE];
  const config = inheritedConfig(env);
  if (config === undefined || name === undefined || name === "") {
    throw new GymError("NG_ERR_CONFIG", `A server process needs ${CONFIG_VARIABLE} and ${NAME_VARIABLE} in its environment.`, {
      hint: "Start servers with ng-run; it sets both.",
    });
  }
  const instance = config.servers.find((server) => server.name === name);
  if (instance === undefined)
    throw new GymError("NG_ERR_SERVER_NOT_FOUND", `The configuration has no server '${name}' (${NAME_VARIABLE}).`);
  return { config, name, instance };
}

/** The configuration text of the environment, if there is one; an empty one counts as none. */
export function inheritedConfig(env: Record<string, string | undefined>): LoadedConfig | undefined {
  const text = env[CONFIG_VARIABLE];
  if (text === undefined || text === "") return undefined;
  const problems = new Problems();
  const root = loadText({ kind: "environment", name: CONFIG_VARIABLE, text }, problems);
  problems.throwIfAny();
  if (root?.kind !== "map") throw new GymError("NG_ERR_CONFIG", `${CONFIG_VARIABLE} must hold a mapping.`);
  return finish(root, { env, notices: [], generated: new Set() });
}
