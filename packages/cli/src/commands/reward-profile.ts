/** `ng-reward-profile`: what the rollouts on disk say, task by task and agent by agent. */
import { type CollectEvent, type ProfileResult, parseProfileParameters, profileParameters, profileRewards } from "@ng-gym/core/rollouts";
import type { CommandModule } from "../contract/index.ts";
import { followCollection, profileText } from "../reporters/index.ts";
import { snakeCaseKeys } from "./json-keys.ts";
import { loadSettings } from "./settings.ts";

export const rewardProfileCommand: CommandModule<ProfileResult, CollectEvent> = {
  async execute(input, emit) {
    const config = await loadSettings(input, { noModel: true, parameters: Object.keys(profileParameters.shape) });
    const parameters = parseProfileParameters(config.resolved() as Record<string, unknown>);
    return await profileRewards({ parameters, cwd: input.cwd, onEvent: emit });
  },
  follow: followCollection,
  text: profileText,
  json: snakeCaseKeys,
};
