/** A server program without a launcher: its plan comes from the environment variables of the reference. */
import { loadChildConfig } from "../../config/index.ts";
import { GymError } from "../../errors/index.ts";
import type { GlobalConfig } from "../gym-server.ts";
import type { InstancePlan } from "./plan.ts";
import { planInstance } from "./plan-instances.ts";

export interface AlonePlan {
  plan: InstancePlan;
  addresses: Record<string, { url: string }>;
  global: GlobalConfig;
}

/** @throws GymError NG_ERR_USAGE where a variable is missing, NG_ERR_CONFIG where NEMO_GYM_CONFIG_PATH names no instance. */
export function planAlone(env: NodeJS.ProcessEnv): AlonePlan {
  if (!env.NEMO_GYM_CONFIG_DICT || !env.NEMO_GYM_CONFIG_PATH) {
    throw new GymError(
      "NG_ERR_USAGE",
      "a server program needs NEMO_GYM_CONFIG_DICT (the configuration as YAML) and NEMO_GYM_CONFIG_PATH (its instance name)",
      {
        hint: "Start servers with `ng-run +config_paths=[...]`, which sets both.",
      },
    );
  }
  const { config, instance } = loadChildConfig(env);
  const addresses: AlonePlan["addresses"] = {};
  for (const { name, block } of config.servers)
    if (block.port) addresses[name] = { url: `http://${block.host ?? "127.0.0.1"}:${block.port}` };
  return { plan: planInstance(instance, { cwd: process.cwd(), env }), addresses, global: config };
}
