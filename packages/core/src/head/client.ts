/** The command's side of the head server: what runs, and a client that reaches it. */

import { GymError, isGymError, messageOf } from "../errors/index.ts";
import { createServerClient, type Reply, type ServerAddress, type ServerClient, type ServerClientOptions } from "../http/index.ts";
import type { ServerInstanceInfo } from "./instance-info.ts";
import { findRunToken, RUN_TOKEN_HEADER, RUN_TOKEN_VARIABLE } from "./run-token.ts";

export interface HeadAddress {
  host: string;
  port: number;
}

export interface HeadReport {
  /** YAML text of the configuration. */
  configYaml: string;
  instances: ServerInstanceInfo[];
  ready: boolean;
}

/** How long a command waits for the head server. */
const HEAD_TIMEOUT_MS = 5_000;

/**
 * Sends the token of the run where it has one.
 * @throws GymError NG_ERR_HEAD_UNREACHABLE naming the address and what to type, NG_ERR_RUN_TOKEN where the head server refuses us.
 */
export async function fetchHead(head: HeadAddress, signal?: AbortSignal, env: NodeJS.ProcessEnv = process.env): Promise<HeadReport> {
  const url = `http://${head.host}:${head.port}`;
  await using client = createServerClient({ addressOf: () => ({ url }), policy: { maxAttempts: 1 } });
  const token = findRunToken(head, env);
  const get = (path: string, headers?: Record<string, string>) =>
    client.call("head server", { kind: "control", method: "GET", path, headers, timeoutMs: HEAD_TIMEOUT_MS, signal });
  try {
    const [yaml, instances, ready] = await Promise.all([
      get("/global_config_dict_yaml", token === undefined ? undefined : { [RUN_TOKEN_HEADER]: token }),
      get("/server_instances"),
      get("/readyz"),
    ]);
    if (yaml.status === 401) throw refused(url, token !== undefined);
    // Heads of older versions have no health paths: only a 503 says that servers are still starting.
    return { configYaml: configIn(yaml), instances: instancesIn(instances), ready: ready.status !== 503 };
  } catch (error) {
    if (isGymError(error, "NG_ERR_CANCELLED") || isGymError(error, "NG_ERR_RUN_TOKEN")) throw error;
    throw new GymError("NG_ERR_HEAD_UNREACHABLE", `no head server answers at ${url}: ${messageOf(error)}`, {
      hint: "Start servers with `ng-run` first, or name the right place with `+head_server.host=... +head_server.port=...` (both terminals must use the same).",
      cause: error,
    });
  }
}

function refused(url: string, sent: boolean): GymError {
  return new GymError(
    "NG_ERR_RUN_TOKEN",
    `the head server at ${url} ${sent ? "does not take the token we have" : "wants the token of its run"}`,
    {
      hint: `Set ${RUN_TOKEN_VARIABLE} to it. The machine and user of the run find it by themselves, under the head server's own host and port; the start names its file.`,
    },
  );
}

function configIn(reply: Reply): string {
  const value = reply.status === 200 ? reply.json() : undefined;
  if (typeof value !== "string") throw notAHead("/global_config_dict_yaml", reply);
  return value;
}

function instancesIn(reply: Reply): ServerInstanceInfo[] {
  const value = reply.status === 200 ? reply.json() : undefined;
  const isInstance = (one: Partial<ServerInstanceInfo> | null): boolean =>
    typeof one?.url === "string" && typeof one.config_path === "string";
  if (!Array.isArray(value) || !value.every(isInstance)) throw notAHead("/server_instances", reply);
  return value as ServerInstanceInfo[];
}

function notAHead(path: string, reply: Reply): Error {
  return new Error(`something else listens there (it answered ${path} with ${reply.status} ${JSON.stringify(reply.text().slice(0, 100))})`);
}

/** A client that reaches the running instances by name. */
export function clientOf(
  instances: readonly ServerInstanceInfo[],
  options: Omit<ServerClientOptions, "addressOf" | "local"> = {},
): ServerClient {
  const addresses = new Map<string, ServerAddress>(
    instances.map((info) => [info.config_path, { url: info.url, h2c: info.h2c === true, copies: info.copies }]),
  );
  return createServerClient({ ...options, addressOf: (name) => addresses.get(name) ?? unknownServer(name, addresses.keys()) });
}

export function unknownServer(name: string, known: Iterable<string>): never {
  throw new GymError(
    "NG_ERR_SERVER_NOT_FOUND",
    `no server is called ${JSON.stringify(name)}; there are: ${[...known].join(", ") || "(none)"}`,
  );
}
