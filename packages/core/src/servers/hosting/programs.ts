/** Which program a child of ours runs, where, and by which name it is told of. */
import { workerFile } from "../../work/index.ts";
import type { Host } from "./host.ts";
import type { HostPlan, InstancePlan } from "./plan.ts";

export interface HostProgram {
  /** As errors and log lines name the process. */
  label: string;
  hosting: Host["hosting"];
  file: string | URL;
  cwd: string | undefined;
  env: NodeJS.ProcessEnv;
}

/** A server's own program, with the environment servers in front of it. `env`: the launcher's plus the configuration. */
export function ownProgram({ plans, copy }: HostPlan, env: NodeJS.ProcessEnv): HostProgram {
  const { name, entrypoint, dir, copies } = plans[0] as InstancePlan;
  const label = copy === undefined ? name : `${name} (worker ${copy + 1} of ${copies})`;
  return { label, hosting: "process", file: entrypoint, cwd: dir, env: { ...env, NEMO_GYM_CONFIG_PATH: name } };
}

/** A copy of the shared host. */
export function groupProgram({ plans, copy = 0 }: HostPlan, env: NodeJS.ProcessEnv): HostProgram {
  const label = `shared host ${copy + 1} of ${plans[0]?.copies ?? 1}`;
  return { label, hosting: "shared", file: new URL(workerFile(import.meta, "./group-child")), cwd: undefined, env };
}
