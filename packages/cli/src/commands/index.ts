/** The door to the commands: each is loaded when it is called. */
import type { CommandModule } from "../contract/index.ts";

type Load = () => Promise<CommandModule>;

export const commands = {
  collectRollouts: async () => (await import("./collect-rollouts.ts")).collectRolloutsCommand,
  dumpConfig: async () => (await import("./dump-config.ts")).dumpConfigCommand,
  help: async () => (await import("./help.ts")).helpCommand,
  listBenchmarks: async () => (await import("./list-benchmarks.ts")).listBenchmarksCommand,
  rewardProfile: async () => (await import("./reward-profile.ts")).rewardProfileCommand,
  run: async () => (await import("./run.ts")).runCommand,
  status: async () => (await import("./status.ts")).statusCommand,
  validate: async () => (await import("./validate/index.ts")).validateCommand,
  version: async () => (await import("./version.ts")).versionCommand,
} as const satisfies Record<string, Load>;
