/** From the configuration's instances to plans: folders and programs are found, hosting is decided. All that is missing is reported at once. */
import {
  findServerDir,
  headPortProblem,
  type LoadedConfig,
  resolveEntrypoint,
  restartsOf,
  type ServerInstance,
} from "../../config/index.ts";
import { GymError, messageOf } from "../../errors/index.ts";
import { blockIssues, blockLines } from "../block-problems.ts";
import { environmentKind } from "../environment/environment.ts";
import { withCopies, workersOf } from "./copies.ts";
import type { Hosting, InstancePlan } from "./plan.ts";
import { findPython } from "./python-interpreter.ts";
import { undividable } from "./shares.ts";

export interface PlanContext {
  cwd: string;
  env: Record<string, string | undefined>;
}

/** @throws GymError NG_ERR_CONFIG listing every instance that cannot be run. */
export function planInstances(config: LoadedConfig, context: PlanContext): InstancePlan[] {
  const head = headPortProblem(config);
  const problems = head === undefined ? [] : [`  ${head}`];
  const plans: InstancePlan[] = [];
  for (const instance of config.servers) {
    try {
      plans.push(planInstance(instance, { ...context, hosting: config.get("hosting"), python: config.get("python") }));
    } catch (error) {
      problems.push(`  ${instance.name}: ${messageOf(error)}`);
    }
  }
  if (plans.length === 0 && problems.length === 0) {
    throw new GymError("NG_ERR_CONFIG", "the configuration has no server to start", {
      hint: "Name configuration files: `ng-run +config_paths=[resources_servers/mcqa/configs/mcqa.yaml,responses_api_models/simulated_model/configs/simulated_model.yaml]`.",
    });
  }
  const copied = withCopies(plans, Number(config.get("num_hosts") ?? 1));
  for (const plan of copied) {
    const problem = undividable(plan);
    if (problem !== undefined) problems.push(`  ${plan.name}: ${problem}`);
  }
  if (problems.length > 0) throw new GymError("NG_ERR_CONFIG", `these servers cannot be started:\n${problems.join("\n")}`);
  return copied;
}

/** Why the copies of an instance cannot share its limits; undefined where they can, and where another problem is in the way. */
export function copyProblemOf(name: string, config: LoadedConfig, context: PlanContext): string | undefined {
  const plans = config.servers.flatMap((instance) => {
    try {
      return [planInstance(instance, { ...context, hosting: config.get("hosting"), python: config.get("python") })];
    } catch {
      return [];
    }
  });
  const plan = withCopies(plans, Number(config.get("num_hosts") ?? 1)).find((one) => one.name === name);
  return plan && undividable(plan);
}

/** Keys of the top level that a block may override. */
export interface TopLevel {
  hosting?: unknown;
  python?: unknown;
}

export function planInstance(instance: ServerInstance, context: PlanContext & TopLevel): InstancePlan {
  const { block } = instance;
  const workers = workersOf(block.num_workers);
  const common = {
    name: instance.name,
    type: instance.type,
    implementation: instance.implementation,
    block,
    host: typeof block.host === "string" && block.host !== "" ? block.host : "127.0.0.1",
    port: Number(block.port ?? 0),
    hosting: workers > 1 && block.hosting !== "shared" ? "process" : hostingOf(block.hosting ?? context.hosting),
    copies: workers,
  } as const;
  if (instance.type === "environment_servers") {
    checkEnvironment(instance);
    if (workers > 1) throw new Error("an environment server lives in the processes of its agent: write num_workers there");
    return { ...common, dir: "", entrypoint: "", language: "environment", agent: agentOf(instance) };
  }
  const { dir, exists, searched } = findServerDir(instance.type, instance.implementation, context);
  if (!exists) throw new Error(`there is no folder ${instance.type}/${instance.implementation} in ${searched.join(", ")}`);
  const entrypoint = String(block.entrypoint ?? "app.py");
  const program = resolveEntrypoint(dir, entrypoint);
  if (program === undefined) throw new Error(`${dir} has no ${entrypoint}, nor an app.ts or app.js beside where it would be`);
  const own = { ...common, dir, entrypoint: program.file, restarts: restartsOf(block.restart) };
  if (program.language === "python") {
    if (workers > 1 && instance.type !== "responses_api_models") throw new Error(PYTHON_WORKERS);
    const python = findPython(block.python ?? context.python, { ...context, dir });
    // Its workers are its own business.
    return { ...own, copies: 1, language: "python", hosting: "process", python };
  }
  if (workers > 1 && own.hosting === "shared")
    throw new Error("num_workers needs processes of its own: remove hosting: shared from the block, or write num_hosts at the top level");
  if (own.restarts > 0 && own.hosting === "shared")
    throw new Error("restart needs a process of its own, which can end without the others: add hosting: process to the block");
  return { ...own, language: "node" };
}

const PYTHON_WORKERS =
  "num_workers of a server in Python must be 1: its workers share one port, so that a session would meet workers that do not have its state";

function hostingOf(value: unknown): Hosting {
  if (value === undefined || value === null || value === "shared") return "shared";
  if (value === "process") return "process";
  throw new Error(`hosting is "process" or "shared", not ${JSON.stringify(value)}`);
}

/** @throws Error naming every setting that is wrong: an environment server has no program of its own that could say so later. */
function checkEnvironment(instance: ServerInstance): void {
  const { configSchema } = environmentKind(instance.implementation);
  const lines = blockLines(instance, blockIssues(configSchema, instance.block)).map((line) => `    ${line}`);
  if (lines.length > 0) throw new Error(`the block is not what environment_servers/${instance.implementation} takes:\n${lines.join("\n")}`);
}

function agentOf(instance: ServerInstance): string {
  const agent = (instance.block.agent_server as { name?: unknown } | undefined)?.name;
  if (typeof agent !== "string") throw new Error("agent_server must name the agent: {type: responses_api_agents, name: ...}");
  return agent;
}
