/** A tiny server that answers `/<server>/run` and `/<server>/aggregate_metrics` from a script, and a client that reaches it. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createServerClient, type ServerClient } from "../../src/http/index.ts";
import { aggregateMetrics } from "../../src/metrics/index.ts";
import type { Foreign } from "./recipes.ts";

export interface Answer {
  status?: number;
  json?: Foreign;
  text?: string;
  headers?: Record<string, string>;
}

export interface Scripted extends AsyncDisposable {
  client: ServerClient;
  port: number;
  /** `<server>:<task>-<rollout>` in order of arrival. */
  requests: string[];
  bodies: Foreign[];
  aggregations: { server: string; verify_responses: Foreign[] }[];
}

export interface ScriptedOptions {
  run: (call: { server: string; id: string; body: Foreign }) => Answer | Promise<Answer>;
  aggregateStatus?: number;
}

export async function startScripted(options: ScriptedOptions): Promise<Scripted> {
  const requests: string[] = [];
  const bodies: Foreign[] = [];
  const aggregations: Scripted["aggregations"] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    const [, server = "", route] = (request.url ?? "").split("/");
    let answer: Answer;
    if (route === "run") {
      const id = body.episode_id?.rollout_id ?? `${body._ng_task_index}-${body._ng_rollout_index}`;
      requests.push(`${server}:${id}`);
      bodies.push(body);
      answer = await options.run({ server, id, body });
    } else {
      aggregations.push({ server, verify_responses: body.verify_responses });
      answer =
        options.aggregateStatus === undefined
          ? { json: aggregateMetrics(body.verify_responses) }
          : { status: options.aggregateStatus, text: "no" };
    }
    if (response.destroyed) return;
    response.writeHead(answer.status ?? 200, { "content-type": "application/json", ...answer.headers });
    response.end(answer.text ?? JSON.stringify(answer.json));
  };
  const http = createServer((request, response) => void handle(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  const client = createServerClient({ addressOf: (server) => ({ url: `http://127.0.0.1:${port}/${server}` }), policy: { maxAttempts: 1 } });
  return {
    client,
    port,
    requests,
    bodies,
    aggregations,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      if (!http.listening) return;
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

/** A head's configuration: environment server -> the agents it fronts. */
export function configOf(servers: Record<string, string[]>, type = "legacy_agent"): Record<string, unknown> {
  const config: Record<string, unknown> = {};
  for (const [server, agents] of Object.entries(servers)) {
    const [first] = agents;
    config[server] = { environment_servers: { [type]: { agent_server: { type: "responses_api_agents", name: first } } } };
    for (const agent of agents) config[agent] = { responses_api_agents: { simple_agent: { entrypoint: "app.py" } } };
  }
  return config;
}
