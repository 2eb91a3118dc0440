/**
 * An environment server in front of an agent and a resources server that do at each stage what a test tells them, reached by function calls or over
 * sockets. Both keep what is open, so that a test can prove that nothing stays so.
 */
import { GymError } from "../../../src/errors/index.ts";
import { createServerClient, type Endpoint, type ServerClient } from "../../../src/http/index.ts";
import type { AgentSessionRequest, ModelResponse } from "../../../src/protocol/index.ts";
import { createEndpoint } from "../../../src/servers/endpoint.ts";
import type { EnvironmentEndpoint } from "../../../src/servers/environment/endpoint.ts";
import { environmentKind } from "../../../src/servers/environment/environment.ts";
import {
  Agent,
  type AgentConfig,
  type AgentSessionHooks,
  type RequestContext,
  ResourcesServer,
  type ResourcesServerConfig,
  type VerifyResult,
} from "../../../src/servers/index.ts";
import { type Listener, listen } from "../../../src/servers/listener.ts";
import { toLog } from "../../../src/telemetry/index.ts";
import { responseSaying } from "../contract/response.ts";

/** What is called, in the order of a turn. */
export const STAGES = ["seed", "open", "work", "finish", "verify", "release"] as const;
export type Stage = (typeof STAGES)[number];
/** Runs before the stage does its work; what it throws the stage throws. */
export type Behaviour = (context: { signal: AbortSignal }) => unknown;

export class Script {
  readonly log: string[] = [];
  readonly behaviour: Partial<Record<Stage, Behaviour>> = {};
  readonly open: Set<string> = new Set();
  /** Added to the answer of a seed. */
  seeded: object | undefined;
  /** The last session that was opened, as the agent was asked for it. */
  asked: AgentSessionRequest | undefined;
  /** Instead of the reward. */
  verified: VerifyResult | undefined;
  /** What a whole rollout of the agent gives. */
  ran: (row: unknown) => unknown = () => {
    throw new Error("nobody calls /run");
  };
  readonly #reached = new Map<Stage, PromiseWithResolvers<void>>();

  /** Settles when a call has come to the stage. */
  reached(stage: Stage): Promise<void> {
    return this.#waiting(stage).promise;
  }

  async at(stage: Stage, context: { signal: AbortSignal }): Promise<void> {
    this.log.push(stage);
    this.#waiting(stage).resolve();
    await this.behaviour[stage]?.(context);
  }

  #waiting(stage: Stage): PromiseWithResolvers<void> {
    const waiting = this.#reached.get(stage) ?? Promise.withResolvers<void>();
    this.#reached.set(stage, waiting);
    return waiting;
  }
}

/** Works until its caller leaves. */
export function untilAborted({ signal }: { signal: AbortSignal }): Promise<never> {
  const left = (): GymError => new GymError("NG_ERR_CANCELLED", "the caller left");
  return new Promise((_, reject) => {
    if (signal.aborted) reject(left());
    signal.addEventListener("abort", () => reject(left()), { once: true });
  });
}

const script = (server: { global: { get(key: string): unknown } }): Script => server.global.get("script") as Script;
const NEVER = new AbortController().signal;

export class RigResources extends ResourcesServer<ResourcesServerConfig, unknown, Record<string, unknown>> {
  override async seedSession(_row: unknown, { session, signal }: RequestContext): Promise<object | undefined> {
    script(this).open.add(`resources ${session.id}`);
    await script(this).at("seed", { signal });
    script(this).open.add(`resources ${session.id}`);
    return script(this).seeded;
  }

  override async closeSession(id: string, { session, signal }: RequestContext): Promise<void> {
    await script(this).at("release", { signal });
    if (session.id !== id) throw new Error("the context is another session's");
    script(this).open.delete(`resources ${id}`);
  }

  override async verify(_input: unknown, { session, signal }: RequestContext): Promise<VerifyResult> {
    await script(this).at("verify", { signal });
    if (script(this).verified) return script(this).verified as VerifyResult;
    return { reward: script(this).open.has(`resources ${session.id}`) ? 1 : 0 };
  }
}

export class RigAgent extends Agent<AgentConfig, { id: string }> {
  override sessionHooks(): AgentSessionHooks<{ id: string }> | undefined {
    return {
      open: async (seed, { signal }) => {
        const { agent_session_id: id } = seed;
        script(this).asked = seed;
        script(this).open.add(`agent ${id}`);
        try {
          await script(this).at("open", { signal });
        } catch (error) {
          script(this).open.delete(`agent ${id}`);
          throw error;
        }
        return { id };
      },
      close: async ({ id }) => {
        await script(this).at("finish", { signal: NEVER });
        script(this).open.delete(`agent ${id}`);
        return { agent_observations: { seen: id.length }, resources_cookies: null };
      },
    };
  }

  override async responses(_request: unknown, { signal, prefix }: RequestContext, session?: { id: string }): Promise<ModelResponse> {
    await script(this).at("work", { signal });
    if (session === undefined) throw new Error("called outside of a session");
    return responseSaying(prefix) as unknown as ModelResponse;
  }

  override async run(body: unknown): Promise<unknown> {
    return script(this).ran(body);
  }
}

/** One that only knows `/run`. */
export class PlainAgent extends RigAgent {
  override sessionHooks(): undefined {
    return undefined;
  }
}

export interface RigOptions {
  /** False: an agent without sessions. */
  sessions?: boolean;
  kind?: string;
  config?: Record<string, unknown>;
  way?: "local" | "sockets";
  /** Top-level keys. */
  settings?: Record<string, unknown>;
}

export interface Rig extends AsyncDisposable {
  script: Script;
  client: ServerClient;
  environment: EnvironmentEndpoint;
  lines: string[];
  /** Address of an instance; sockets only. */
  url(name: string): string;
  /** Ends the agent as a crash does: its connections break, nobody listens any more. */
  killAgent(): Promise<void>;
  run(signal?: AbortSignal, body?: unknown): Promise<Record<string, unknown>>;
}

export async function openRig({
  kind = "single_agent_turn",
  config = {},
  way = "sockets",
  sessions = true,
  settings = {},
}: RigOptions = {}): Promise<Rig> {
  const told = new Script();
  const lines: string[] = [];
  const log = toLog((line) => void lines.push(line));
  const endpoints = new Map<string, Endpoint>();
  const listeners = new Map<string, Listener>();
  const url = (name: string): string => `http://127.0.0.1:${listeners.get(name)?.port ?? 1}`;
  const client = createServerClient({
    addressOf: (name) => ({ url: url(name) }),
    local: way === "local" ? endpoints : undefined,
    freezeLocal: true,
    policy: { baseDelayMs: 1 },
  });
  const common = { client, log, global: { get: (key: string) => (key === "script" ? told : undefined) } };
  const resources = new RigResources({ ...common, name: "resources", config: {} });
  const Class = sessions ? RigAgent : PlainAgent;
  const agent = new Class({ ...common, name: "agent", config: { resources_server: { type: "resources_servers", name: "resources" } } });
  endpoints.set("resources", createEndpoint(resources, { sessionSecret: "one" }));
  endpoints.set("agent", createEndpoint(agent, { sessionSecret: "two" }));
  const { configSchema, create } = environmentKind(kind);
  const block = { ...BLOCK, ...(kind === "legacy_agent" ? {} : TURN), ...config };
  const environment = create({
    name: "environment",
    config: configSchema.parse(block) as Record<string, unknown>,
    client,
    log,
    setting: (key) => settings[key],
    blockOf: () => undefined,
  });
  endpoints.set("environment", environment);
  if (way === "sockets")
    for (const [name, endpoint] of endpoints) listeners.set(name, await listen(endpoint, { host: "127.0.0.1", port: 0 }));
  return {
    script: told,
    client,
    environment,
    lines,
    url,
    killAgent: () => listeners.get("agent")?.close(0) ?? Promise.resolve(),
    run: async (signal, body = EPISODE) =>
      (await client.call("environment", { kind: "run", path: "/run", body, signal })).json() as Record<string, unknown>,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await Promise.all([...listeners.values()].map((listener) => listener.close(0)));
      await Promise.all([resources.stop(), agent.stop()]);
    },
  };
}

const BLOCK = {
  entrypoint: "app.py",
  agent_server: { type: "responses_api_agents", name: "agent" },
};
const TURN = {
  resources_server: { type: "resources_servers", name: "resources" },
  resources_tool_transports: ["direct_http"],
  cleanup_timeout_seconds: 20,
};

export const EPISODE: Record<string, unknown> = {
  episode_id: { rollout_id: "r1", attempt: 1 },
  task: { task_id: { taskset: "t", task_id: "7" }, task_input: { responses_create_params: { input: "go" }, note: "kept" } },
};
