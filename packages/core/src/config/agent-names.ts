/** How names of relays and composed agents are made from an agent's name. */

/** The agent's name without its trailing type or `_agent`; what would leave nothing leaves the type. */
export function agentStem(name: string, type: string): string {
  if (name.endsWith(type)) return name.slice(0, -type.length).replace(/_$/, "") || type;
  return name.endsWith("_agent") ? name.slice(0, -"_agent".length) || type : name;
}
