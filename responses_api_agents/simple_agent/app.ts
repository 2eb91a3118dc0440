/** The standard agent: lets a model call the tools of a resources server, one after the other, until it answers; then the resources server verifies. */
import { CookieJar } from "@ng-gym/core/http";
import type { ModelResponse, ResponsesRequest, RunBody } from "@ng-gym/core/protocol";
import { Agent, cookiesFor, type RequestContext, serve } from "@ng-gym/core/servers";
import { type SimpleAgentConfig, simpleAgentConfig } from "./config.ts";
import { runLoop } from "./loop.ts";
import { askModel } from "./model.ts";
import { runRollout } from "./run.ts";
import { callTool } from "./tools.ts";

export default class SimpleAgent extends Agent<SimpleAgentConfig> {
  static override readonly configSchema = simpleAgentConfig;

  override async responses(request: ResponsesRequest, context: RequestContext): Promise<ModelResponse> {
    this.#needsToolExecution("a call of /v1/responses");
    const { client } = this;
    const { prefix, rolloutId, signal } = context;
    const model = { client, server: this.config.model_server.name, prefix, rolloutId, signal, jar: new CookieJar() };
    const jar = cookiesFor(this.config.resources_server?.name ?? "", context.jar);
    const answer = await runLoop(
      request,
      {
        askModel: (asked) => askModel(asked, model),
        callTool: (call) => callTool(call, { client, server: this.#resourcesServer("a tool call"), jar, signal }),
      },
      { maxSteps: this.config.max_steps ?? 0, executeTools: true },
    );
    context.setCookies.push(...handedOn(jar, model.jar));
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
