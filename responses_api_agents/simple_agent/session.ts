/** What the agent keeps for a session: where its tools are, and the cookies with which it calls them. */
import type { CookieJar } from "@ng-gym/core/http";
import { type AgentSessionRequest, type DirectToolAccess, GymError } from "@ng-gym/core/protocol";
import { type AgentSessionEnd, cookieValues, jarOfValues } from "@ng-gym/core/servers";

export interface SimpleAgentSession {
  /** Undefined: the episode grants no tools. */
  access: DirectToolAccess | undefined;
  jar: CookieJar;
}

/** @throws GymError NG_ERR_SESSION for what this agent cannot use but must. */
export function openSession({ tool_accesses, sandbox_access }: AgentSessionRequest, agent: string): SimpleAgentSession {
  const refuse = (what: string, hint: string): never => {
    throw new GymError("NG_ERR_SESSION", `${agent}: ${what}`, { hint });
  };
  const mcp = tool_accesses.find(({ kind, required }) => kind === "mcp" && required);
  if (mcp !== undefined)
    refuse(
      `the episode requires tools over MCP (${mcp.name}), which this agent does not speak`,
      "Grant resources_tool_transports: [direct_http].",
    );
  const direct = tool_accesses.filter((access) => access.kind === "direct_http");
  if (direct.length > 1)
    refuse(
      `the episode grants tools of ${direct.map(({ name }) => name).join(" and ")}; this agent calls one server`,
      "Grant one of them.",
    );
  if (sandbox_access !== null) refuse("the episode grants a sandbox, which this agent cannot use", "Use an agent that works in a sandbox.");
  const [access] = direct;
  return { access, jar: jarOfValues(access?.cookies ?? {}) };
}

export function closeSession({ jar }: SimpleAgentSession): AgentSessionEnd {
  return { resources_cookies: cookieValues(jar) };
}
