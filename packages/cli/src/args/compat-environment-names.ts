/** Environments that the reference renamed: the harness moved from the end of the name to its front. */
const HARNESSES = ["claude_code", "hermes", "orchestrator", "parallel_thinking", "reflection", "rewoo"];
const OLD_PREFIX = "reasoning_gym_";

/** The name of today for an old one. */
export function currentEnvironmentName(name: string): string | undefined {
  const harness = name.startsWith(OLD_PREFIX) ? name.slice(OLD_PREFIX.length) : "";
  return HARNESSES.includes(harness) ? `${harness}_reasoning_gym` : undefined;
}
