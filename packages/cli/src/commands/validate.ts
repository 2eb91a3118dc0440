/** `ng-validate`: everything that is wrong with a configuration, before anything starts. */
import type { LoadedConfig } from "@ng-gym/core/config";
import { GymError, isGymError } from "@ng-gym/core/errors";
import type { CommandInput, CommandModule } from "../contract/index.ts";
import { schemaKeysOf } from "./server-schemas.ts";
import { loadSettings } from "./settings.ts";
import { checkTimeLimits } from "./time-limits.ts";

interface ValidateReport {
  config?: LoadedConfig;
  /** Why it is not valid, or, where `config` is there, what a run would still lack. */
  lacking?: GymError;
}

export const validateCommand: CommandModule<ValidateReport> = {
  async execute(input) {
    const json = input.values.has("--json");
    if (json && !input.overrides.some((token) => token.replace(/^\++/, "").startsWith("config_paths="))) {
      throw new GymError("NG_ERR_CONFIG", "--json reports on configuration files, and none is named", {
        hint: "Name one with --config or +config_paths=[...].",
      });
    }
    try {
      return { config: await load(input, false) };
    } catch (error) {
      if (!isGymError(error) || error.exitCode !== 1) throw error;
      const config = input.values.has("--strict") ? undefined : await load(input, true).catch(() => undefined);
      if (config === undefined && !json) throw error;
      return { config, lacking: error };
    }
  },
  notices: ({ config, lacking }) => [
    ...(config?.notices ?? []),
    ...(config === undefined || lacking === undefined ? [] : [`Warning: without a policy model it cannot run yet: ${lacking.message}`]),
  ],
  text: ({ config }) => (config === undefined ? "" : "✓ Config is valid.\n"),
  json: ({ config, lacking }) => ({
    valid: config !== undefined,
    servers: config?.servers.map(({ name, type, implementation }) => ({ name, type, implementation })) ?? [],
    problems: lacking === undefined ? [] : (lacking.details.problems ?? [{ message: lacking.message }]),
  }),
  problem: ({ config, lacking }) => (config === undefined ? lacking : undefined),
  exitCode: ({ config }) => (config === undefined ? 1 : 0),
};

async function load(input: CommandInput, noModel: boolean): Promise<LoadedConfig> {
  const config = await loadSettings(input, { noModel, schemaFor: schemaKeysOf(input) });
  checkTimeLimits(config);
  return config;
}
