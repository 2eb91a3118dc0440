/** The servers behind a head server: who answers, what each is at, what they call, what their processes cost. */
import type { NamedHostStatus, TargetLoad } from "@ng-gym/core/head";
import { columns, duration } from "./format.ts";
import { bytes, circuitText, limitText, mergedTargets } from "./status-cells.ts";

export interface ServerStatus {
  config_path: string;
  server_type: string;
  name: string;
  url: string;
  pid: number;
  hosting?: string | undefined;
  /** `success`: it answers. */
  status: "success" | "connection_error" | "timeout" | "unknown_error";
  uptime_seconds: number | null;
  /** What it is at; absent where nobody tells. Sums over its copies. */
  load?: InstanceLoad | undefined;
  /** Of its processes; absent where none is started anew. */
  restarts?: number | undefined;
}

export interface InstanceLoad {
  /** Processes that run it. */
  pids: number[];
  /** Null, as what follows: a process that would know does not answer. */
  in_flight: number | null;
  handled: number | null;
  failed: number | null;
  queued: number | null;
}

export interface StatusView {
  servers: readonly ServerStatus[];
  hosts: readonly NamedHostStatus[];
  head: string;
  /** Names that are not ready yet. */
  waiting: readonly string[];
  /** Milliseconds since 1970. */
  now: number;
}

export function statusText({ servers, hosts, head, waiting, now }: StatusView): string {
  if (servers.length === 0 && waiting.length > 0) return `The servers behind ${head} are starting; not ready yet: ${waiting.join(", ")}\n`;
  if (servers.length === 0) return `No servers are running behind ${head}.\n`;
  const healthy = servers.filter((one) => one.status === "success").length;
  const parts = [serversTable(servers), targetsTable(mergedTargets(hosts), now), processesTable(hosts)];
  return `${parts.filter((part) => part !== "").join("\n")}\n${healthy} healthy, ${servers.length - healthy} unhealthy\n`;
}

function serversTable(servers: readonly ServerStatus[]): string {
  const told = servers.some((one) => one.load !== undefined);
  const restarted = servers.some((one) => one.restarts !== undefined);
  return columns([
    [
      ...["server", "kind", "address", "process", "up", "state"],
      ...(told ? ["in flight", "handled", "failed", "queued"] : []),
      ...(restarted ? ["restarts"] : []),
    ],
    ...servers.map((one) => [
      one.config_path,
      `${one.server_type}/${one.name}`,
      one.url,
      processText(one),
      one.uptime_seconds === null ? "?" : duration(one.uptime_seconds),
      one.status === "success" ? "healthy" : one.status,
      ...(told ? [one.load?.in_flight, one.load?.handled, one.load?.failed, one.load?.queued].map(numberText) : []),
      ...(restarted ? [numberText(one.restarts)] : []),
    ]),
  ]);
}

function processText({ pid, hosting, load }: ServerStatus): string {
  const pids = load !== undefined && load.pids.length > 1 ? `${load.pids.length} copies: ${load.pids.join(" ")}` : String(pid);
  return `${pids}${hosting === "shared" ? " shared" : ""}`;
}

function numberText(value: number | null | undefined): string {
  if (value === null) return "?";
  return value === undefined ? "-" : String(value);
}

function targetsTable(targets: ReadonlyMap<string, TargetLoad>, now: number): string {
  if (targets.size === 0) return "";
  return columns([
    ["calls to", "calls", "in flight", "waiting", "pausing", "retries", "errors", "limit", "circuit"],
    ...[...targets].map(([name, { calls, inFlight, waiting, pausing, retries, lastRefusal, errors, limit, circuit }]) => [
      name,
      ...[calls, inFlight, waiting].map(String),
      `${numberText(pausing)}${pausing && lastRefusal !== undefined ? ` (${lastRefusal})` : ""}`,
      ...[retries, errors].map(String),
      limitText(limit),
      circuitText(circuit, now),
    ]),
  ]);
}

function processesTable(hosts: readonly NamedHostStatus[]): string {
  const shown = hosts.filter((host) => host.load !== undefined || host.silent);
  if (shown.length === 0) return "";
  return columns([
    ["process", "hosting", "CPU", "memory", "heap", "event loop p50/p99/max", "descriptors"],
    ...shown.map(({ pid, hosting, load }) => {
      const what = [String(pid), hosting];
      if (load === undefined) return [...what, "-", "-", "-", "does not answer", "-"];
      const { p50, p99, max } = load.eventLoopLagMs;
      const limit = load.descriptorLimit === undefined ? "" : ` of ${load.descriptorLimit}`;
      return [
        ...what,
        duration(load.cpuSeconds),
        bytes(load.rssBytes),
        bytes(load.heapBytes),
        `${p50.toFixed(0)}/${p99.toFixed(0)}/${max.toFixed(0)} ms`,
        load.descriptors === undefined ? "-" : `${load.descriptors}${limit}`,
      ];
    }),
  ]);
}
