/** From the configuration's instances to plans: folders and programs are found, hosting is decided. All that is missing is reported at once. */
import { findServerDir, type LoadedConfig, resolveEntrypoint, type ServerInstance } from "../../config/index.ts";
import { GymError, messageOf } from "../../errors/index.ts";
import { environmentKind } from "../environment/environment.ts";
import type { Hosting, InstancePlan } from "./plan.ts";

export interface PlanContext {
  cwd: string;
  env: Record<string, string | undefined>;
}

/** @throws GymError NG_ERR_CONFIG listing every instance that cannot be run. */
export function planInstances(config: LoadedConfig, context: PlanContext): InstancePlan[] {
  const problems: string[] = [];
  const plans: InstancePlan[] = [];
  for (const instance of config.servers) {
    try {
      plans.push(planInstance(instance, { ...context, hosting: config.get("hosting") }));
    } catch (error) {
      problems.push(`  ${instance.name}: ${messageOf(error)}`);
    }
  }
  if (plans.length === 0 && problems.length === 0) {
    throw new GymError("NG_ERR_CONFIG", "the configuration has no server to start", {
      hint: "Name configuration files: `ng-run +config_paths=[resources_servers/mcqa/configs/mcqa.yaml,responses_api_models/simulated_model/configs/simulated_model.yaml]`.",
    });
  }
  if (problems.length > 0) throw new GymError("NG_ERR_CONFIG", `these servers cannot be started:\n${problems.join("\n")}`);
  return plans;
}

export function planInstance(instance: ServerInstance, context: PlanContext & { hosting?: unknown }): InstancePlan {
  const { block } = instance;
  const common = {
    name: instance.name,
    type: instance.type,
    implementation: instance.implementation,
    block,
    host: typeof block.host === "string" && block.host !== "" ? block.host : "127.0.0.1",
    port: Number(block.port ?? 0),
    hosting: hostingOf(block.hosting ?? context.hosting),
  };
  if (instance.type === "environment_servers") {
    environmentKind(instance.implementation);
    return { ...common, dir: "", entrypoint: "", language: "environment", agent: agentOf(instance) };
  }
  const { dir, exists, searched } = findServerDir(instance.type, instance.implementation, context);
  if (!exists) throw new Error(`there is no folder ${instance.type}/${instance.implementation} in ${searched.join(", ")}`);
  const entrypoint = String(block.entrypoint ?? "app.py");
  const program = resolveEntrypoint(dir, entrypoint);
  if (program === undefined) throw new Error(`${dir} has no ${entrypoint}, nor an app.ts or app.js beside where it would be`);
  if (program.language === "python")
    throw new Error(`${program.file} is a Python server; only servers in TypeScript or JavaScript are started so far`);
  return { ...common, dir, entrypoint: program.file, language: "node" };
}

function hostingOf(value: unknown): Hosting {
  if (value === undefined || value === null || value === "shared") return "shared";
  if (value === "process") return "process";
  throw new Error(`hosting is "process" or "shared", not ${JSON.stringify(value)}`);
}

function agentOf(instance: ServerInstance): string {
  const agent = (instance.block.agent_server as { name?: unknown } | undefined)?.name;
  if (typeof agent !== "string") throw new Error("agent_server must name the agent: {type: responses_api_agents, name: ...}");
  return agent;
}
