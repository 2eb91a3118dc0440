/** The standard agent: lets a model call the tools of a resources server, one after the other, until it answers; then the resources server verifies. */
import { type Call, CookieJar, type Reply } from "@ng-gym/core/http";
import { GymError, type ModelResponse, type ResponsesRequest, type RunBody } from "@ng-gym/core/protocol";
import { Agent, type AgentSessionHooks, callGranted, cookiesFor, type RequestContext, serve } from "@ng-gym/core/servers";
import { type SimpleAgentConfig, simpleAgentConfig } from "./config.ts";
import { runLoop } from "./loop.ts";
import { askModel } from "./model.ts";
import { runRollout } from "./run.ts";
import { closeSession, openSession, type SimpleAgentSession } from "./session.ts";
import { callTool } from "./tools.ts";

export default class SimpleAgent extends Agent<SimpleAgentConfig, SimpleAgentSession> {
  static override readonly configSchema = simpleAgentConfig;

  override sessionHooks(): AgentSessionHooks<SimpleAgentSession> {
    return { open: (seed) => openSession(seed, this.name), close: closeSession };
  }

  override async responses(request: ResponsesRequest, context: RequestContext, session?: SimpleAgentSession): Promise<ModelResponse> {
    if (session === undefined) this.#needsToolExecution("a call of /v1/responses");
    const { client } = this;
    const { prefix, rolloutId, signal } = context;
    const model = { client, server: this.config.model_server.name, prefix, rolloutId, signal, jar: new CookieJar() };
    const jar = cookiesFor(this.config.resources_server?.name ?? "", context.jar);
    const toolServer = session?.access?.name ?? this.config.resources_server?.name ?? "the tools";
    const send =
      session === undefined
        ? (call: Call) => client.call(this.#resourcesServer("a tool call"), { ...call, jar, signal })
        : (call: Call) => this.#callGranted(session, { ...call, signal });
    const answer = await runLoop(
      request,
      { askModel: (asked) => askModel(asked, model), callTool: (call) => callTool(call, { server: toolServer, send }) },
      { maxSteps: this.config.max_steps ?? 0, executeTools: this.config.execute_tools },
    );
    // A session hands the cookies of its tools on when it is closed.
    context.setCookies.push(...handedOn(session === undefined ? jar : new CookieJar(), model.jar));
    return answer;
  }

  override async run(body: RunBody, context: RequestContext): Promise<Record<string, unknown>> {
    this.#needsToolExecution("/run");
    return runRollout(body, {
      client: this.client,
      self: this.name,
      server: this.#resourcesServer("/run"),
      jar: context.jar,
      signal: context.signal,
      callSelf: (request, jar) => this.callSelf(request, { jar, context }),
      fixedReward: this.config.skip_verification ? (this.config.skip_verification_reward ?? 0) : undefined,
    });
  }

  #callGranted({ access, jar }: SimpleAgentSession, call: Call): Promise<Reply> {
    if (access !== undefined) return callGranted(this.client, access, { ...call, jar });
    throw new GymError(
      "NG_ERR_SESSION",
      `${this.name}: the model called the tool ${call.path.slice(1)}, but its session was granted no tools`,
    );
  }

  #resourcesServer(what: string): string {
    const name = this.config.resources_server?.name;
    if (name === undefined) throw new Error(`${this.name}: ${what} needs resources_server, which the configuration does not set`);
    return name;
  }

  #needsToolExecution(what: string): void {
    if (!this.config.execute_tools)
      throw new Error(`${this.name}: execute_tools: false is for calls inside an agent session; ${what} needs execute_tools: true`);
  }
}

/**
 * `Set-Cookie` lines for the caller. The session of the resources server goes on as bare values; where the model server set a cookie of the
 * same name, the resources server's wins, since verification depends on it.
 */
function handedOn(resources: CookieJar, model: CookieJar): string[] {
  const names = resources.names();
  const taken = new Set(names);
  return [
    ...names.map((name) => `${name}=${resources.get(name)}; Path=/; SameSite=lax`),
    ...model.setLines().filter((line) => !taken.has(line.slice(0, line.indexOf("=")).trim())),
  ];
}

await serve(import.meta, SimpleAgent);
