/** An agent: drives a model through an environment. `run` is a whole rollout, `responses` the loop between model and tools. */
import { z } from "zod";
import { GymError } from "../errors/index.ts";
import { badResponse, type CookieJar, type Reply, raiseForStatus } from "../http/index.ts";
import {
  captureKey,
  type ModelResponse,
  parseAgentSessionBody,
  parseAgentSessionCloseBody,
  parseAggregateAnswer,
  parseAggregateBody,
  parseResponsesRequest,
  parseRunBody,
  type ResponsesRequest,
  type RunBody,
} from "../protocol/index.ts";
import { type AgentSessionHooks, type AgentSessions, createAgentSessions } from "./agent-sessions.ts";
import { cookiesFor } from "./downstream-cookies.ts";
import { GymServer, type Log, type ServerConfig, type ServerRef, serverConfigSchema } from "./gym-server.ts";
import type { PrefixedPath } from "./rollout-prefix.ts";
import type { RequestContext, Route } from "./route.ts";

/** Keys of an agent's block; extend it with your own. */
export const agentConfig = serverConfigSchema.extend({
  datasets: z.array(z.unknown()).nullable().optional(),
  skip_verification: z.boolean().nullable().optional(),
  skip_verification_reward: z.number().nullable().optional(),
  token_id_capture: z.boolean().nullable().optional(),
  session_close_retry_window_seconds: z.number().positive().optional(),
  tool_accesses: z.array(z.unknown()).optional(),
});
export type AgentConfig = ServerConfig & z.infer<typeof agentConfig> & { resources_server?: ServerRef | null };

export abstract class Agent<C extends AgentConfig = AgentConfig, S = unknown> extends GymServer<C> {
  static readonly configSchema: z.ZodType = agentConfig;
  #sessions: AgentSessions<S> | undefined;

  /** The loop: model calls and tool calls until there is an answer. `session` is what `sessionHooks` opened, where the call belongs to one. */
  abstract responses(request: ResponsesRequest, context: RequestContext, session?: S): Promise<ModelResponse>;

  /** A whole rollout: seed, loop, verify. Answers what the verifier answered. */
  abstract run(body: RunBody, context: RequestContext): Promise<unknown>;

  /** How the agent opens and closes the sessions in which environment servers drive it; undefined: it has none. */
  sessionHooks(): AgentSessionHooks<S> | undefined {
    return undefined;
  }

  override routes(): Route[] {
    const hooks = this.sessionHooks();
    if (hooks !== undefined) this.#sessions = createAgentSessions({ ...this.#sessionOptions(), hooks });
    return [
      ...super.routes(),
      {
        method: "POST",
        path: "/v1/responses",
        parse: parseResponsesRequest,
        handler: (body, context) =>
          this.#sessions === undefined
            ? this.responses(body, context)
            : this.#sessions.activate(context, (inside, session) => this.responses(body, inside, session)),
      },
      {
        method: "POST",
        path: "/v1/agent_sessions",
        parse: parseAgentSessionBody,
        handler: (body, context) => this.#hasSessions().seed(body, context),
      },
      {
        method: "POST",
        path: "/v1/agent_sessions/close",
        parse: parseAgentSessionCloseBody,
        handler: (body, context) => this.#hasSessions().close(body, context),
      },
      {
        method: "POST",
        path: "/run",
        parse: parseRunBody,
        handler: (body, context) => this.run(body, { ...context, rolloutId: captureKey(body) ?? context.rolloutId }),
      },
      {
        method: "POST",
        path: "/aggregate_metrics",
        parse: parseAggregateBody,
        handler: (body, context) => this.aggregateMetrics(body, context),
      },
    ];
  }

  override allowsPrefix(target: PrefixedPath): boolean {
    return target.path === "/v1/responses" && super.allowsPrefix(target);
  }

  #sessionOptions(): { name: string; closeRetryWindowSeconds: number | undefined; log: Log } {
    return { name: this.name, closeRetryWindowSeconds: this.config.session_close_retry_window_seconds, log: this.log };
  }

  #hasSessions(): AgentSessions<S> {
    if (this.#sessions !== undefined) return this.#sessions;
    throw new GymError("NG_ERR_SESSION", `${this.identity} has no agent sessions: it runs whole rollouts by /run only`, {
      hint: "Put a legacy_agent environment server in front of it.",
    });
  }

  override async stop(): Promise<void> {
    this.#sessions?.[Symbol.dispose]();
  }

  override failureKind(): string {
    return "agent_run_error";
  }

  /** Hands the rows on to the resources server, which knows its own metrics. */
  async aggregateMetrics(body: unknown, context: RequestContext): Promise<unknown> {
    if (this.config.skip_verification) {
      this.log(`${this.name}: skip_verification is on, so there are no metrics to aggregate`);
      return { group_level_metrics: [], agent_metrics: {}, key_metrics: {}, repeat_level_metrics: [], perf_summary: null };
    }
    const server = this.config.resources_server?.name;
    if (server === undefined) throw new Error(`${this.name} has no resources_server, so nothing can aggregate its metrics`);
    const answer = await this.client.call(server, {
      kind: "control",
      path: "/aggregate_metrics",
      body,
      jar: cookiesFor(server, context.jar),
      signal: context.signal,
    });
    const metrics = parseAggregateAnswer(raiseForStatus(answer, server, "/aggregate_metrics").json());
    if (metrics.ok) return metrics.value;
    const issues = metrics.issues.slice(0, 5).map(({ loc, msg }) => `${loc.slice(1).join(".") || "the body"}: ${msg}`);
    throw badResponse({ server, path: "/aggregate_metrics", status: answer.status }, `something that is no metrics (${issues.join("; ")})`);
  }

  /** Calls this very instance's `/v1/responses`, so that a rollout's loop is seen and captured like a call from outside. */
  protected callSelf(request: ResponsesRequest, options: { jar: CookieJar; context: RequestContext }): Promise<Reply> {
    const { rolloutId, signal } = options.context;
    const headers = rolloutId === undefined ? undefined : { "x-ng-rollout-id": rolloutId };
    return this.client.call(this.name, { kind: "agent", path: "/v1/responses", body: request, headers, jar: options.jar, signal });
  }
}
