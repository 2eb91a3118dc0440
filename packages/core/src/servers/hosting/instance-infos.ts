/** Facts of the running instances, as the head server tells them. */
import type { ServerInstanceInfo } from "../../head/index.ts";
import type { Host, HostedServer } from "./host.ts";
import { copyUrls, type InstancePlan } from "./plan.ts";

export interface InfoSources {
  plans: readonly InstancePlan[];
  hosts: readonly Host[];
  hosted: readonly HostedServer[];
}

export function instanceInfos({ plans, hosts, hosted }: InfoSources): ServerInstanceInfo[] {
  const startTime = Date.now() / 1000;
  return plans.map((plan) => {
    const own = hosts.filter((candidate) => candidate.names.includes(plan.name));
    const host = own[0];
    return {
      config_path: plan.name,
      dir_path: plan.dir,
      entrypoint: String(plan.block.entrypoint ?? "app.py"),
      host: plan.host,
      name: plan.implementation,
      // A host that is started anew has another one.
      get pid() {
        return host?.pid ?? process.pid;
      },
      port: plan.port,
      process_name: plan.name,
      server_type: plan.type,
      start_time: startTime,
      status: null,
      uptime_seconds: null,
      url: `http://${plan.host}:${plan.port}`,
      copies: copyUrls(plan),
      get pids() {
        return plan.copyPorts && own.map(({ pid }) => pid);
      },
      h2c: plan.language !== "python",
      hosting: host?.hosting,
      aggregation: aggregationOf(plan.name, plans, hosted),
    };
  });
}

/** Follows environment server -> agent -> resources server to the one that computes the metrics. */
function aggregationOf(name: string, plans: readonly InstancePlan[], hosted: readonly HostedServer[]): "baseline" | "own" {
  for (let at: string | undefined = name, hops = 0; at !== undefined && hops < 4; hops++) {
    const plan = plans.find((candidate) => candidate.name === at);
    const metrics = hosted.find((candidate) => candidate.name === at)?.metrics;
    if (plan?.language === "environment") at = plan.agent;
    else if (metrics === "of-resources-server") at = (plan?.block.resources_server as { name?: string } | undefined)?.name;
    else return metrics === "baseline" ? "baseline" : "own";
  }
  return "own";
}
