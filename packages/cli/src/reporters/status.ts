/** The servers behind a head server. */
import { columns, duration } from "./format.ts";

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
}

export function statusText(servers: readonly ServerStatus[], head: string): string {
  if (servers.length === 0) return `No servers are running behind ${head}.\n`;
  const table = columns([
    ["server", "kind", "address", "process", "up", "state"],
    ...servers.map((one) => [
      one.config_path,
      `${one.server_type}/${one.name}`,
      one.url,
      `${one.pid}${one.hosting === "shared" ? " shared" : ""}`,
      one.uptime_seconds === null ? "?" : duration(one.uptime_seconds),
      one.status === "success" ? "healthy" : one.status,
    ]),
  ]);
  const healthy = servers.filter((one) => one.status === "success").length;
  return `${table}\n${healthy} healthy, ${servers.length - healthy} unhealthy\n`;
}
