/** What a server's own class says about its block of the configuration. Classes and their schemas are loaded only where there is one to ask. */
import { findServerDir, resolveEntrypoint, type SchemaFor, type ServerInstance } from "@ng-gym/core/config";
import type { GymServerClass } from "@ng-gym/core/servers";
import type { CommandInput } from "../contract/index.ts";

/** The environment server that only relays; it has no folder of its own. */
const RELAY = "legacy_agent";

/** Stands for the policy model where none is configured; never started. */
const STAND_IN = "dummy_model";

type Place = Pick<CommandInput, "cwd" | "env">;

/** The class behind an instance; undefined for a relay, a Python server and a server that is not there. */
export async function serverClassOf(instance: ServerInstance, at: Place): Promise<GymServerClass | undefined> {
  if (instance.type === "environment_servers") return undefined;
  const { dir, exists } = findServerDir(instance.type, instance.implementation, at);
  const program = exists ? resolveEntrypoint(dir, String(instance.block.entrypoint ?? "app.py")) : undefined;
  return program?.language === "typescript" ? (await servers()).loadServerClass(program.file) : undefined;
}

/** Why an instance has no program to run, undefined where it has one or needs none. */
export function missingProgram(instance: ServerInstance, at: Place): string | undefined {
  if (instance.type === "environment_servers" || instance.implementation === STAND_IN) return undefined;
  const { dir, exists, searched } = findServerDir(instance.type, instance.implementation, at);
  if (!exists) return `there is no folder ${instance.type}/${instance.implementation} in ${searched.join(", ")}`;
  const entrypoint = String(instance.block.entrypoint ?? "app.py");
  return resolveEntrypoint(dir, entrypoint) === undefined
    ? `${dir} has no ${entrypoint}, nor an app.ts or app.js beside where it would be`
    : undefined;
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
