/** All processes of a run are asked at once how they are; one that hangs is told as silent. */
import { setTimeout as sleep } from "node:timers/promises";
import type { NamedHostStatus } from "../../head/index.ts";
import type { Host } from "./host.ts";
import { STATUS_TIMEOUT_MS } from "./status-channel.ts";

/** A host bounds its own answer; this is for one that does not. */
const LATEST_MS = 2 * STATUS_TIMEOUT_MS;

export function statusOfHosts(hosts: readonly Host[]): Promise<NamedHostStatus[]> {
  return Promise.all(hosts.map(statusOf));
}

async function statusOf(host: Host): Promise<NamedHostStatus> {
  const done = new AbortController();
  const silent = async (): Promise<NamedHostStatus> => {
    await sleep(LATEST_MS, undefined, { signal: done.signal, ref: false }).catch(() => {});
    return { names: host.names, pid: host.pid, hosting: host.hosting, servers: [], targets: {}, silent: true };
  };
  const told = host.status().then((status) => ({ ...status, names: host.names }));
  try {
    return await Promise.race([told.catch(silent), silent()]);
  } finally {
    done.abort();
  }
}
