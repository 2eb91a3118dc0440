/** `ng-run`: the servers of a configuration, until somebody stops them. */
import { once } from "node:events";
import { type HostEvent, startServers } from "@ng-gym/core/servers";
import type { CommandModule } from "../contract/index.ts";
import { followServers } from "../reporters/index.ts";
import { constructServers } from "./construct-servers.ts";
import { type Remark, withRemarks } from "./remarks.ts";
import { schemaKeysOf } from "./server-schemas.ts";
import { loadSettings } from "./settings.ts";

export type RunEvent = HostEvent | Remark;

/** What a dry run checked; a real run has no result: it ends when it is stopped. */
export interface RunReport {
  constructed: string[];
}

export const runCommand: CommandModule<RunReport, RunEvent> = {
  async execute(input, emit) {
    const config = await loadSettings(input, { schemaFor: schemaKeysOf(input) });
    for (const message of config.notices) emit({ type: "remark", message });
    if (config.get("dry_run") === true) return { constructed: await constructServers(config, input) };

    const { cwd, env, signal } = input;
    await using running = await startServers({ config, cwd, env, signal, onEvent: emit });
    const dead = await Promise.race([running.died, stopAsked(signal)]);
    await running.stop(dead === undefined ? "interrupted" : dead.message);
    if (dead !== undefined) throw dead;
    return { constructed: [] };
  },
  follow: (terminal) => withRemarks(terminal, followServers(terminal)),
  text: ({ constructed }) =>
    constructed.length === 0 ? "" : `Dry run: ${constructed.length} servers can be started: ${constructed.join(", ")}\n`,
};

async function stopAsked(signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted) await once(signal, "abort");
  return undefined;
}
