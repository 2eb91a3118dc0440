/** The instances of the contract in this process, reached by function calls, by HTTP/1.1 or by HTTP/2. */
import { Client, H2CClient } from "undici";
import { createServerClient, type Endpoint } from "../../../src/http/index.ts";
import { createEndpoint } from "../../../src/servers/endpoint.ts";
import { createRelay } from "../../../src/servers/environment/relay.ts";
import type { GymServerClass } from "../../../src/servers/index.ts";
import { type Listener, listen } from "../../../src/servers/listener.ts";
import { observed } from "../../../src/servers/observed-endpoint.ts";
import { createTelemetry, logSettings, outgoingHeaders } from "../../../src/telemetry/index.ts";
import ContractAgent from "./servers/agent.ts";
import ContractModel from "./servers/model.ts";
import ContractResources from "./servers/resources.ts";
import { CONTRACT_BODY_LIMIT, type ContractHosting } from "./suite.ts";

const CLASSES: Record<string, GymServerClass> = { resources: ContractResources, agent: ContractAgent, model: ContractModel };

/** Port 1 is privileged and unused: a connection to it is refused. */
export const GONE = "http://127.0.0.1:1";

export type Way = "local" | "http1" | "h2c";

export async function openContract(way: Way): Promise<ContractHosting> {
  const endpoints = new Map<string, Endpoint>();
  const listeners = new Map<string, Listener>();
  const urlOf = (name: string): string => (name === "gone" ? GONE : `http://127.0.0.1:${listeners.get(name)?.port}`);
  const telemetry = createTelemetry({ ...logSettings(() => undefined), write: () => {}, secrets: new Set() });
  const client = createServerClient({
    outgoing: outgoingHeaders,
    addressOf: (name) => ({ url: urlOf(name), h2c: way === "h2c" }),
    local: way === "local" ? endpoints : undefined,
    freezeLocal: true,
    policy: { baseDelayMs: 1 },
  });
  for (const [name, Class] of Object.entries(CLASSES)) {
    const server = new Class({ name, config: {}, client, global: { get: () => undefined }, log: () => {} });
    endpoints.set(name, observed(name, createEndpoint(server, { sessionSecret: `secret of ${name}` }), telemetry));
  }
  endpoints.set("environment", observed("environment", createRelay({ name: "environment", agent: "agent", client }), telemetry));
  if (way !== "local") {
    for (const [name, endpoint] of endpoints) {
      const limits = name === "resources" ? { maxBodyBytes: CONTRACT_BODY_LIMIT } : {};
      listeners.set(name, await listen(endpoint, { host: "127.0.0.1", port: 0 }, limits));
    }
  }
  return {
    client,
    send: way === "local" ? undefined : (server, request) => send(way, urlOf(server), request),
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await Promise.all([...listeners.values()].map((listener) => listener.close(0)));
      await telemetry[Symbol.asyncDispose]();
    },
  };
}

type Send = NonNullable<ContractHosting["send"]>;

/** One request on a connection of its own. */
export async function send(way: Way, origin: string, request: Parameters<Send>[1]): ReturnType<Send> {
  const client = way === "h2c" ? new H2CClient(origin) : new Client(origin);
  try {
    const { statusCode, headers, body } = await client.request({
      path: request.path,
      method: (request.method ?? "POST") as "POST",
      body: request.body,
      headers: { "content-type": "application/json", ...request.headers },
    });
    const flat = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    return { status: statusCode, headers: flat, text: await body.text() };
  } finally {
    await client.destroy();
  }
}
