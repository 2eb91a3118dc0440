/** The door to the commands: each is loaded when it is called. */
import type { CommandModule } from "../contract/index.ts";

type Load = () => Promise<CommandModule>;

export const commands = {
  collectRollouts: async () => (await import("./collect-rollouts.ts")).collectRolloutsCommand,
  help: async () => (await import("./help.ts")).helpCommand,
  rewardProfile: async () => (await import("./reward-profile.ts")).rewardProfileCommand,
  run: async () => (await import("./run.ts")).runCommand,
  status: async () => (await import("./status.ts")).statusCommand,
  version: async () => (await import("./version.ts")).versionCommand,
} as const satisfies Record<string, Load>;
