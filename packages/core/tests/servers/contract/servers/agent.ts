/** An agent whose `/run` does what its row says: answers as told, or calls another server and hands its answer or its failure on. */
import { raiseForStatus } from "../../../../src/http/index.ts";
import type { ModelResponse, RunBody } from "../../../../src/protocol/index.ts";
import { Agent, cookiesFor, type RequestContext, reply, serve } from "../../../../src/servers/index.ts";

interface Told {
  answer?: { status: number; body: unknown; text?: string; headers: Record<string, string>; setCookies: string[] };
  call?: { server: string; path: string; body: unknown };
}

export default class ContractAgent extends Agent {
  override async responses(): Promise<ModelResponse> {
    throw new Error("this agent has no loop");
  }

  override async run(body: RunBody, { jar, signal }: RequestContext): Promise<unknown> {
    const { answer, call } = (body as unknown as { told: Told }).told;
    if (answer) return reply(answer);
    if (call === undefined) return { cookies: jar.header() ?? null };
    const inner = await this.client.call(call.server, {
      kind: "tool",
      path: call.path,
      body: call.body,
      jar: cookiesFor(call.server, jar),
      signal,
    });
    return raiseForStatus(inner, call.server, call.path).json();
  }
}

await serve(import.meta, ContractAgent);
