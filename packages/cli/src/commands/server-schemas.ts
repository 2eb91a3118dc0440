/** What a server's own class says about its block of the configuration. Classes and their schemas are loaded only where there is one to ask. */
import { findServerDir, type LoadedConfig, resolveEntrypoint, type SchemaFor, type ServerInstance } from "@ng-gym/core/config";
import { messageOf } from "@ng-gym/core/errors";
import type { BlockIssue, GymServerClass } from "@ng-gym/core/servers";
import type { CommandInput } from "../contract/index.ts";

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

/** Why an instance has no program to run, or nothing to run it with; undefined where it has or needs none. A program in Python is not run. */
export async function missingProgram(instance: ServerInstance, at: Place & { python?: unknown }): Promise<string | undefined> {
  if (instance.type === "environment_servers" || instance.implementation === STAND_IN) return undefined;
  const { dir, exists, searched } = findServerDir(instance.type, instance.implementation, at);
  if (!exists) return `there is no folder ${instance.type}/${instance.implementation} in ${searched.join(", ")}`;
  const entrypoint = String(instance.block.entrypoint ?? "app.py");
  const program = resolveEntrypoint(dir, entrypoint);
  if (program === undefined) return `${dir} has no ${entrypoint}, nor an app.ts or app.js beside where it would be`;
  if (program.language !== "python") return undefined;
  try {
    (await servers()).findPython(instance.block.python ?? at.python, { ...at, dir });
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Keys by which a block says how it is hosted. Looked into only where one is there: it takes the loading of the supervisor. */
const HOSTING_KEYS = ["restart", "num_workers"];
/** Limits that the processes of a server share. */
const SHARED_LIMITS = ["max_concurrent_requests", "max_concurrent_episodes"];

/** Why an instance cannot be hosted as its block says. */
export async function hostingProblem(instance: ServerInstance, config: LoadedConfig, at: Place): Promise<string | undefined> {
  if (instance.implementation === STAND_IN) return undefined;
  const { block } = instance;
  const place = { cwd: at.cwd, env: at.env };
  const asksMore = HOSTING_KEYS.some((key) => (block[key] ?? null) !== null);
  const alone = asksMore
    ? await (await servers()).planProblem(instance, { ...place, hosting: config.get("hosting"), python: config.get("python") })
    : undefined;
  if (alone !== undefined || SHARED_LIMITS.every((key) => (block[key] ?? null) === null)) return alone;
  return (await servers()).copyProblem(instance.name, config, place);
}

/** What the server's own schema refuses of its block. */
export async function blockIssuesOf(instance: ServerInstance, at: Place): Promise<BlockIssue[]> {
  const Class = await serverClassOf(instance, at);
  return Class === undefined ? [] : (await servers()).blockIssues(Class.configSchema, instance.block);
}

/** The keys that a block may hold, for the check of unknown ones. */
export function schemaKeysOf(at: Place): SchemaFor {
  return async (instance) => {
    if (instance.type === "environment_servers") {
      const { environmentConfigs } = await servers();
      return Object.hasOwn(environmentConfigs, instance.implementation)
        ? Object.keys(environmentConfigs[instance.implementation]?.shape ?? {})
        : undefined;
    }
    const schema = (await serverClassOf(instance, at))?.configSchema as { shape?: Record<string, unknown> } | undefined;
    return schema?.shape === undefined ? undefined : Object.keys(schema.shape);
  };
}

function servers(): Promise<typeof import("@ng-gym/core/servers")> {
  return import("@ng-gym/core/servers");
}
