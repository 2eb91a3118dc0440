/** `ng-help [command]`: every command, or the flags of one. */
import type { CommandModule } from "../contract/index.ts";

export const helpCommand: CommandModule<string> = {
  execute: async ({ catalogue, values, calledAs }) => {
    const name = values.get("command")?.[0];
    const text = name === undefined ? catalogue.list() : catalogue.help(name);
    if (text === undefined) {
      const { GymError } = await import("@ng-gym/core/protocol");
      throw new GymError("NG_ERR_USAGE", `there is no command ${JSON.stringify(name)}`, { hint: `\`${calledAs}\` lists all commands.` });
    }
    return text;
  },
  text: (result) => result,
};
