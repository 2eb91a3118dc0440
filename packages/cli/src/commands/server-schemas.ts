/** What a server's own class says about its block of the configuration. Classes and their schemas are loaded only where there is one to ask. */
import { findServerDir, resolveEntrypoint, type SchemaFor, type ServerInstance } from "@ng-gym/core/config";
import type { GymServerClass } from "@ng-gym/core/servers";
import type { CommandInput } from "../contract/index.ts";

/** The environment server that only relays; it has no folder of its own. */
const RELAY = "legacy_agent";

type Place = Pick<CommandInput, "cwd" | "env">;

/** The class behind an instance; undefined for a relay, a Python server and a server that is not there. */
export async function serverClassOf(instance: ServerInstance, at: Place): Promise<GymServerClass | undefined> {
  if (instance.type === "environment_servers") return undefined;
  const { dir, exists } = findServerDir(instance.type, instance.implementation, at);
  const program = exists ? resolveEntrypoint(dir, String(instance.block.entrypoint ?? "app.py")) : undefined;
  return program?.language === "typescript" ? (await servers()).loadServerClass(program.file) : undefined;
}

/** The keys that a block may hold, for the check of unknown ones. */
export function schemaKeysOf(at: Place): SchemaFor {
  return async (instance) => {
    if (instance.implementation === RELAY) return Object.keys((await servers()).relayConfig.shape);
    const schema = (await serverClassOf(instance, at))?.configSchema as { shape?: Record<string, unknown> } | undefined;
    return schema?.shape === undefined ? undefined : Object.keys(schema.shape);
  };
}

function servers(): Promise<typeof import("@ng-gym/core/servers")> {
  return import("@ng-gym/core/servers");
}
