/** The configuration that a command works with, and the parameters that it needs from it. */
import { type LoadedConfig, loadConfig, type PortAllocator, type SchemaFor } from "@ng-gym/core/config";
import { GymError } from "@ng-gym/core/errors";
import type { CommandInput } from "../contract/index.ts";

export interface SettingsOptions {
  /** Start from the stand-in policy model: the command needs none. */
  noModel?: boolean;
  schemaFor?: SchemaFor;
  allocatePort?: PortAllocator;
  /** Keys that the command reads beside those of its flags. */
  parameters?: readonly string[];
}

/** @throws GymError NG_ERR_CONFIG and its kin, and NG_ERR_USAGE where a required parameter is nowhere. */
export async function loadSettings(input: CommandInput, options: SettingsOptions = {}): Promise<LoadedConfig> {
  const { overrides, cwd, env } = input;
  const own = input.options.flatMap((option) => (option.key === undefined ? [] : [option.key]));
  const parameters = [...own, ...(options.parameters ?? [])];
  const config = await loadConfig({ argv: overrides, cwd, env, allowUnknown: input.values.has("--allow-unknown"), ...options, parameters });
  requireParameters(input, config);
  return config;
}

/** Required parameters may come from anywhere, so they are looked for in the loaded configuration. */
function requireParameters(input: CommandInput, config: LoadedConfig): void {
  const missing = input.options.filter(
    (option) => option.required === true && [undefined, null, ""].includes(config.get(option.key as string)),
  );
  if (missing.length === 0) return;
  const names = missing.map((option) => `${option.flags[0]} (or +${option.key}=...)`);
  throw new GymError("NG_ERR_USAGE", `missing required ${missing.length === 1 ? "parameter" : "parameters"}: ${names.join(", ")}`, {
    hint: `${missing.map((option) => `${option.flags[0]}: ${option.help}`).join("\n")}\n\`${input.calledAs} --help\` shows an example.`,
    details: {
      usage: `${input.calledAs} ${missing.map((option) => `${option.flags[0]} <${option.type}>`).join(" ")} [options] [+key=value ...]`,
    },
  });
}
