/** What a process of the run tells when it is asked: see `HostStatus`. */
import type { HostStatus } from "../../head/index.ts";
import type { ServerClient } from "../../http/index.ts";
import type { Telemetry } from "../../telemetry/index.ts";
import { metricFamilies } from "./metric-families.ts";

export interface StatusSources {
  hosting: HostStatus["hosting"];
  telemetry: Telemetry;
  client: ServerClient;
  /** By instance name: how many requests wait in its own queues. */
  queues: ReadonlyMap<string, () => number>;
}

export function hostStatus({ hosting, telemetry, client, queues }: StatusSources): HostStatus {
  const { meter, load } = telemetry;
  const servers = meter.servers().map(({ name, inFlight, handled, failed }) => ({
    name,
    inFlight,
    handled,
    failed,
    queued: queues.get(name)?.() ?? 0,
  }));
  const status: HostStatus = { pid: process.pid, hosting, load: load.now(), servers, targets: client.stats() };
  return { ...status, metrics: metricFamilies(status, meter) };
}
