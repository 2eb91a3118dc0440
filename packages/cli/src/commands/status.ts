/** `ng-status`: what a head server runs, and whether each of it answers. */
import { isGymError, messageOf } from "@ng-gym/core/errors";
import { clientOf, fetchHead, type NamedHostStatus, readRunStatus, type ServerInstanceInfo } from "@ng-gym/core/head";
import type { CommandModule } from "../contract/index.ts";
import { type InstanceLoad, type ServerStatus, statusText } from "../reporters/index.ts";
import { headOf } from "./head.ts";
import { snakeCaseKeys } from "./json-keys.ts";
import { loadSettings } from "./settings.ts";

/** How long a server may take to say that it is well. */
const PROBE_TIMEOUT_MS = 1_800;

export interface StatusReport {
  head: string;
  servers: (ServerInstanceInfo & ServerStatus)[];
  /** The processes of the run; none where the head server does not tell. */
  hosts: NamedHostStatus[];
  /** Names that are not ready yet. */
  waiting: readonly string[];
  notices: string[];
}

export const statusCommand: CommandModule<StatusReport> = {
  async execute(input) {
    const head = headOf(await loadSettings(input, { noModel: true }));
    try {
      await using run = readRunStatus(head);
      const asked = run.read(input.signal);
      const { instances, ready } = await fetchHead(head, input.signal);
      await using client = clientOf(instances, { policy: { maxAttempts: 1 } });
      // Side by side: whoever hangs keeps the others waiting once.
      const [status, ...servers] = await Promise.all([
        asked,
        ...instances.map((instance) =>
          probe(instance, (signal) =>
            client.call(instance.config_path, { kind: "control", method: "GET", path: "/", timeoutMs: PROBE_TIMEOUT_MS, signal }),
          ),
        ),
      ]);
      const hosts = status?.hosts ?? [];
      const waiting = ready ? [] : (status?.waiting ?? []);
      const missing = waiting.length === 0 ? "" : `; not ready yet: ${waiting.join(", ")}`;
      return {
        head: head.url,
        servers: servers.map((one) => withTold(one, hosts)),
        hosts,
        waiting,
        notices: ready ? [] : [`${head.url} is still starting its servers${missing}`],
      };
    } catch (error) {
      if (!isGymError(error, "NG_ERR_HEAD_UNREACHABLE")) throw error;
      return { head: head.url, servers: [], hosts: [], waiting: [], notices: [messageOf(error)] };
    }
  },
  notices: (result) => result.notices,
  text: (report) => statusText({ ...report, now: Date.now() }),
  json: (result) => result.servers,
};

/** What answered is not well where a process of it is silent: a copy may have answered for it. Its time begins with the oldest of its processes. */
function withTold(server: StatusReport["servers"][number], hosts: readonly NamedHostStatus[]): StatusReport["servers"][number] {
  const mine = hosts.filter((host) => host.names.includes(server.config_path));
  const more = told(server.config_path, mine);
  if (server.status !== "success") return { ...server, ...more };
  if (mine.length > 1 && mine.some(({ silent }) => silent)) return { ...server, status: "timeout", uptime_seconds: null, ...more };
  const since = Math.min(...mine.map(({ restartedAt }) => (restartedAt === undefined ? server.start_time : restartedAt / 1000)));
  const uptime = mine.length === 0 ? server.uptime_seconds : Math.max(0, Date.now() / 1000 - since);
  return { ...server, uptime_seconds: uptime, ...more };
}

/** What the processes that run an instance tell about it: sums, and the processes themselves. */
function told(name: string, mine: readonly NamedHostStatus[]): { load?: InstanceLoad; restarts?: number; processes?: unknown[] } {
  const loads = mine.flatMap(({ servers }) => servers.filter((server) => server.name === name));
  if (mine.length === 0) return {};
  // Names of targets are names: only the keys of what is told about them are spelled anew.
  const processes = mine.map(({ names: _names, servers: _servers, targets, ...process }) => ({
    ...(snakeCaseKeys(process) as object),
    targets: Object.fromEntries(Object.entries(targets).map(([target, load]) => [target, snakeCaseKeys(load)])),
  }));
  const counts = mine.flatMap((host) => host.restarts ?? []);
  const restarts = counts.length === 0 ? {} : { restarts: counts.reduce((total, count) => total + count, 0) };
  const isSilent = mine.some(({ silent }) => silent);
  if (loads.length === 0 && !isSilent) return { ...restarts, processes };
  const sum = (pick: (load: (typeof loads)[number]) => number): number | null =>
    isSilent ? null : loads.reduce((total, load) => total + pick(load), 0);
  const load: InstanceLoad = {
    pids: mine.map(({ pid }) => pid),
    in_flight: sum((one) => one.inFlight),
    handled: sum((one) => one.handled),
    failed: sum((one) => one.failed),
    queued: sum((one) => one.queued),
  };
  return { load, ...restarts, processes };
}

async function probe(
  instance: ServerInstanceInfo,
  ask: (signal: AbortSignal) => Promise<unknown>,
): Promise<ServerInstanceInfo & ServerStatus> {
  const uptime = Math.max(0, Date.now() / 1000 - instance.start_time);
  const answered = (status: ServerStatus["status"]): ServerInstanceInfo & ServerStatus => ({
    ...instance,
    status,
    uptime_seconds: status === "success" ? uptime : null,
  });
  try {
    await ask(AbortSignal.timeout(PROBE_TIMEOUT_MS));
    return answered("success");
  } catch (error) {
    if (isGymError(error, "NG_ERR_UNREACHABLE") || isGymError(error, "NG_ERR_PEER_DROP")) return answered("connection_error");
    return answered(isGymError(error, "NG_ERR_TIMEOUT") || isGymError(error, "NG_ERR_CANCELLED") ? "timeout" : "unknown_error");
  }
}
