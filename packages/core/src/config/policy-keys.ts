/** The policy model's key and address may come from the environment when nothing else gives them: command line, env.yaml, files, then these. */
import { type ConfigNode, get, isInterpolation, isUnset, type MapNode, text, withEntry } from "./node.ts";
import { madeUp } from "./source.ts";
import { TOP_LEVEL_KEYS } from "./top-level-table.ts";

const VARIABLES: Record<string, string> = {
  policy_api_key: TOP_LEVEL_KEYS.policy_api_key.variable,
  policy_base_url: TOP_LEVEL_KEYS.policy_base_url.variable,
};

/** Fills in what is read and missing. The value stays a reference to the variable, so that no key enters the configuration's text. */
export function addPolicyKeys(root: MapNode, env: Record<string, string | undefined>): { root: MapNode; notices: string[] } {
  const notices: string[] = [];
  let result = root;
  for (const [key, variable] of Object.entries(VARIABLES)) {
    const value = get(root, key);
    const wanted = isUnset(value) || (value === undefined && isRead(root, key));
    if (!wanted || (env[variable] ?? "") === "") continue;
    result = withEntry(result, key, text(`\${oc.env:${variable}}`, madeUp("environment", variable)));
    notices.push(`${key} comes from ${variable}; nothing else sets it.`);
  }
  return { root: result, notices };
}

/** Where a missing policy setting is looked for, for the message that it is missing. */
export function policyKeyFix(key: string): string | undefined {
  const variable = VARIABLES[key];
  return variable === undefined
    ? undefined
    : `looked for in this order: ++${key}=<value>, env.yaml, the configuration files, the variable ${variable}; set one of them`;
}

function isRead(node: ConfigNode, key: string): boolean {
  if (node.kind === "list") return node.items.some((item) => isRead(item, key));
  if (node.kind === "map") return [...node.entries.values()].some(({ value }) => isRead(value, key));
  return isInterpolation(node) && new RegExp(`\\$\\{\\s*${key}\\s*\\}`).test(node.value);
}
