/** All processes of a run are asked at once how they are; one that hangs is told as silent. */
import { setTimeout as sleep } from "node:timers/promises";
import type { HostStatus, NamedHostStatus } from "../../head/index.ts";
import { createMeter, type LoadMonitor } from "../../telemetry/index.ts";
import type { Host } from "./host.ts";
import { metricFamilies } from "./metric-families.ts";
import { STATUS_TIMEOUT_MS } from "./status-channel.ts";

/** A host bounds its own answer; this is for one that does not. Below what `ng-status` waits. */
const LATEST_MS = 1.5 * STATUS_TIMEOUT_MS;

/** `load`: of this process, which is told too where none of the hosts is in it. */
export async function statusOfHosts(hosts: readonly Host[], load: LoadMonitor): Promise<NamedHostStatus[]> {
  const told = await Promise.all(hosts.map(statusOf));
  return told.some(({ pid }) => pid === process.pid) ? told : [...told, launcherStatus(load)];
}

function launcherStatus(load: LoadMonitor): NamedHostStatus {
  const status: HostStatus = { pid: process.pid, hosting: "launcher", load: load.now(), servers: [], targets: {} };
  return { ...status, names: [], metrics: metricFamilies(status, createMeter()) };
}

async function statusOf(host: Host): Promise<NamedHostStatus> {
  const done = new AbortController();
  const silent = async (): Promise<NamedHostStatus> => {
    await sleep(LATEST_MS, undefined, { signal: done.signal, ref: false }).catch(() => {});
    return { names: host.names, pid: host.pid, hosting: host.hosting, servers: [], targets: {}, silent: true };
  };
  const told = host.status().then((status) => ({ ...status, names: host.names }));
  try {
    return { ...(await Promise.race([told.catch(silent), silent()])), ...restartsOf(host) };
  } finally {
    done.abort();
  }
}

/** The supervisor knows them, whether or not the process answers. */
function restartsOf({ restarts, restartedAt }: Host): { restarts?: number; restartedAt?: number } {
  return { ...(restarts === undefined ? {} : { restarts }), ...(restartedAt === undefined ? {} : { restartedAt }) };
}
