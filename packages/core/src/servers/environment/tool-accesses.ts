/** What an agent is let to: the tools of the resources server, in the session that was seeded for the episode. */
import { badResponse, type CookieJar, type ServerClient } from "../../http/index.ts";
import { isObject, type McpToolAccess, type SeedAnswer, type ToolAccess } from "../../protocol/index.ts";
import { cookieValues } from "../cookie-values.ts";
import type { TOOL_TRANSPORTS } from "./config.ts";

export type ToolTransport = (typeof TOOL_TRANSPORTS)[number];

export interface SeededResources {
  server: string;
  client: ServerClient;
  jar: CookieJar;
  answer: SeedAnswer;
}

/** One access a transport. Where there are two, either will do. @throws GymError NG_ERR_BAD_RESPONSE where the server does not offer a transport. */
export function toolAccesses(transports: readonly ToolTransport[], seeded: SeededResources): ToolAccess[] {
  const { server, client, jar } = seeded;
  const { url } = client.addressOf(server);
  const required = transports.length === 1;
  return transports.map((transport): ToolAccess => {
    const name = `${server}.${transport}`;
    if (transport === "mcp") return { kind: "mcp", name, required, connection: connectionOf(seeded, url) };
    return { kind: "direct_http", name, required, base_url: withSlash(url), cookies: cookieValues(jar), headers: {} };
  });
}

/** The seed says where the server speaks MCP and with which header a call names its session. */
function connectionOf({ server, answer }: SeededResources, url: string): McpToolAccess["connection"] {
  const tools = answer.resources_tools;
  if (!isObject(tools) || typeof tools.url_path !== "string")
    throw badResponse(
      { server, path: "/seed_session", status: 200 },
      "no tools over MCP, which resources_tool_transports asks for; is expose_tools_over_mcp on?",
    );
  const headers = isObject(tools.headers) ? tools.headers : {};
  return {
    transport: "streamable_http",
    url: withSlash(url).slice(0, -1) + tools.url_path,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
  };
}

function withSlash(url: string): string {
  return url.endsWith("/") ? url : `${url}/`;
}
