/** A whole run against a fake endpoint: mcqa, its agent, its environment server and a model server, with all that the run says. */
import { fileURLToPath } from "node:url";
import { type FakeUpstream, startFakeUpstream } from "@ng-gym/testing";
import { loadConfig } from "../../src/config/index.ts";
import { clientOf } from "../../src/head/index.ts";
import type { Reply, ServerClient, ServerClientOptions } from "../../src/http/index.ts";
import { type HostEvent, type RunningServers, startServers } from "../../src/servers/index.ts";
import type { LogEntry } from "../../src/telemetry/index.ts";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
export const FRONT = "mcqa_environment_server";
export const API_KEY = "s3cret-key-of-the-endpoint";

/** Calls of one process that go over sockets, as function calls, and between processes. */
export type Way = "local" | "sockets" | "process";
export const WAYS: readonly Way[] = ["local", "sockets", "process"];

export interface Run extends AsyncDisposable {
  readonly servers: RunningServers;
  readonly upstream: FakeUpstream;
  readonly client: ServerClient;
  readonly events: readonly HostEvent[];
  /** Lines of the servers' logs, so far. */
  entries(): LogEntry[];
  /** Resolves with the first line that fits, also one that came before. */
  entry(fits: (entry: LogEntry) => boolean): Promise<LogEntry>;
  rollout(headers?: Record<string, string>): Promise<Reply>;
  get(path: string): Promise<Reply>;
}

export async function startRun(way: Way, settings: Record<string, unknown> = {}, client: Partial<ServerClientOptions> = {}): Promise<Run> {
  const upstream = await startFakeUpstream();
  const events: HostEvent[] = [];
  const watchers = new Set<() => void>();
  const config = await loadConfig({
    argv: ["+config_paths=[resources_servers/mcqa/configs/mcqa.yaml,responses_api_models/openai_model/configs/openai_model.yaml]"],
    initial: {
      head_server: { host: "127.0.0.1", port: 0 },
      hosting: way === "process" ? "process" : "shared",
      model_endpoint_readiness_timeout_seconds: 0,
      policy_base_url: upstream.url,
      policy_api_key: API_KEY,
      policy_model_name: "fake",
      ...settings,
    },
    cwd: ROOT,
    env: {},
  });
  const { NEMO_GYM_CONFIG_DICT: _dict, NEMO_GYM_CONFIG_PATH: _path, ...env } = process.env;
  const servers = await startServers({
    config,
    cwd: ROOT,
    env,
    localDispatch: way !== "sockets",
    onEvent(event) {
      events.push(event);
      for (const watcher of watchers) watcher();
    },
  });
  const collector = clientOf(servers.instances, { policy: { maxAttempts: 1 }, ...client });
  const entries = (): LogEntry[] => events.flatMap((event) => (event.type === "log" && event.entry !== undefined ? [event.entry] : []));

  return {
    servers,
    upstream,
    client: collector,
    events,
    entries,
    entry: (fits) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = entries().find(fits);
          if (found === undefined) return;
          watchers.delete(look);
          resolve(found);
        };
        watchers.add(look);
        look();
      }),
    rollout: (headers) => collector.call(FRONT, { kind: "run", path: "/run", body: row(), headers }),
    async get(path) {
      await using head = clientOf([], { policy: { maxAttempts: 1 } });
      return await head.fetch({ name: "head", url: servers.head.url + path }, { kind: "control", method: "GET", path });
    },
    async [Symbol.asyncDispose]() {
      await collector[Symbol.asyncDispose]();
      await servers.stop("the test is over");
      await upstream.close();
    },
  };
}

function row(): Record<string, unknown> {
  return {
    responses_create_params: { input: [{ role: "user", content: "Which letter? A: one B: two" }] },
    options: [{ A: "one" }, { B: "two" }],
    expected_answer: "A",
    grading_mode: "lenient_boxed",
    uuid: "u",
    _ng_task_index: 3,
    _ng_rollout_index: 1,
  };
}
