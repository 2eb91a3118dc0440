/** Configuration paths and agent names that moved in NeMo Gym 0.7.0: the old ones still work where the new ones exist. */

/** Old stem of a Reasoning Gym environment -> new stem. */
const RENAMED_ENVIRONMENTS = ["claude_code", "hermes", "orchestrator", "parallel_thinking", "reflection", "rewoo"].map(
  (harness): [string, string] => [`reasoning_gym_${harness}`, `${harness}_reasoning_gym`],
);

const MOVED_PATHS = new Map<string, string>([
  ...RENAMED_ENVIRONMENTS.map(([old, current]): [string, string] => [
    `environments/${old}/config.yaml`,
    `environments/${current}/config.yaml`,
  ]),
  ["responses_api_agents/tau2/configs/tau2_agent.yaml", "responses_api_agents/tau2/configs/tau2.yaml"],
]);

/** Old agent instance -> new one. */
export const RENAMED_AGENTS: readonly (readonly [string, string])[] = RENAMED_ENVIRONMENTS.map(([old, current]) => [
  `${old}_agent`,
  `${current}_agent`,
]);

/** The new name of a path that moved, if only the new one exists. */
export function currentConfigPath(path: string, exists: (path: string) => boolean): string {
  const current = MOVED_PATHS.get(path);
  return current !== undefined && !exists(path) && exists(current) ? current : path;
}
