/** The instances of the contract as a configuration hosts them, reached as a collector reaches them, or as a stranger who knows their addresses does. */
import { fileURLToPath } from "node:url";
import { startTestServers, type TempProject, type TestServer, tempProject } from "@ng-gym/testing";
import type { ServerInstanceInfo } from "../../../src/head/index.ts";
import { CookieJar, createServerClient, type ServerAddress, type ServerClient } from "../../../src/http/index.ts";
import { GONE, send } from "./hosting.ts";
import { CONTRACT_BODY_LIMIT, type ContractHosting } from "./suite.ts";

const HERE = fileURLToPath(new URL("./servers/", import.meta.url));
const SERVERS = fileURLToPath(new URL("../../../src/servers/index.ts", import.meta.url));
const FOLDER = { resources_servers: "resources", responses_api_agents: "agent", responses_api_models: "model" };

/** Their folders, as an author would have them. */
function contractProject(): Promise<TempProject> {
  const files: Record<string, string> = { "package.json": '{"type":"module"}' };
  for (const [type, name] of Object.entries(FOLDER)) {
    files[`${type}/contract/app.ts`] =
      `import Class from ${JSON.stringify(`${HERE}${name}.ts`)};\nimport { serve } from ${JSON.stringify(SERVERS)};\n` +
      "export default Class;\nawait serve(import.meta, Class);\n";
  }
  return tempProject(files);
}

export interface HostedOptions {
  hosting?: "shared" | "process";
  numHosts?: number;
  /** Keys of single blocks. */
  blocks?: Partial<Record<"resources" | "agent" | "model", TestServer["config"]>>;
  /** Default: the client of a collector. */
  reach?: (instances: readonly ServerInstanceInfo[]) => ServerClient | Promise<ServerClient>;
}

export async function openHosted({ hosting, numHosts = 1, blocks = {}, reach }: HostedOptions): Promise<ContractHosting> {
  const project = await contractProject();
  const server = (type: TestServer["type"], config?: TestServer["config"]): TestServer => ({ type, implementation: "contract", config });
  const agentRef = { type: "responses_api_agents", name: "agent" };
  const servers = await startTestServers({
    root: project.path,
    hosting,
    topLevel: { num_hosts: numHosts },
    servers: {
      resources: server("resources_servers", { max_body_bytes: CONTRACT_BODY_LIMIT, ...blocks.resources }),
      agent: server("responses_api_agents", blocks.agent),
      model: server("responses_api_models", blocks.model),
      environment: { type: "environment_servers", implementation: "legacy_agent", config: { agent_server: agentRef } },
    },
    addresses: { gone: GONE },
    localDispatch: true,
  });
  const client = reach === undefined ? servers.client : await reach(servers.instances);
  return {
    client,
    send: (name, request) => send("http1", servers.urls[name] as string, request),
    async [Symbol.asyncDispose]() {
      if (client !== servers.client) await client[Symbol.asyncDispose]();
      await servers[Symbol.asyncDispose]();
      await project[Symbol.asyncDispose]();
    },
  };
}

/** Each call on a connection of its own to the announced address, by HTTP/1.1: whichever copy it leads to. */
export function strangers(instances: readonly ServerInstanceInfo[]): ServerClient {
  const addressOf = (name: string): ServerAddress => ({ url: instances.find((one) => one.config_path === name)?.url as string });
  const client = createServerClient({ addressOf });
  return {
    ...client,
    async call(server, call) {
      await using once = createServerClient({ addressOf });
      return await once.call(server, call);
    },
  };
}

/** Each call at the second copy with a session that the first one opened: all of them are handed over. */
export async function atTheWrongCopy(instances: readonly ServerInstanceInfo[]): Promise<ServerClient> {
  const copyOf = (name: string, copy: number): ServerAddress => ({
    url: instances.find((one) => one.config_path === name)?.copies?.[copy] as string,
    h2c: true,
  });
  const opened = new CookieJar();
  await using first = createServerClient({ addressOf: (name) => copyOf(name, 0) });
  for (const name of ["resources", "agent", "model"]) await first.call(name, { kind: "control", method: "GET", path: "/", jar: opened });
  const second = createServerClient({ addressOf: (name) => copyOf(name, 1) });
  return {
    ...second,
    async call(server, call) {
      const jar = call.jar ?? new CookieJar();
      // The environment server has no session; its calls end at the agent.
      const own = opened.names().find((cookie) => cookie.endsWith(`___${server === "environment" ? "agent" : server}`)) as string;
      if (!jar.names().includes(own)) jar.take([`${own}=${opened.get(own)}`]);
      return second.call(server, { ...call, jar });
    },
  };
}
