/** Start, life and end of the servers of a run. Only the table of ready servers is a result; everything else is for standard error. */
import type { HostEvent, ModelEndpoint } from "@ng-gym/core/servers";
import type { Terminal } from "../terminal/index.ts";
import { columns, counted, duration } from "./format.ts";

/** Shortest time between two plain lines about who is missing. */
export const PLAIN_WAITING_MS = 5_000;
/** Whose lines those of the launcher are, where each line names its server. */
const LAUNCHER = "ng-run";

export function followServers(terminal: Terminal): (event: HostEvent) => void {
  let nextPlain = 0;
  let format: "text" | "json" = "text";
  /** What the launcher says itself is on the stream of the logs, and has their form. */
  const note = (message: string): void =>
    terminal.note(
      format === "json" ? JSON.stringify({ time: new Date().toISOString(), level: "info", server: LAUNCHER, message }) : message,
    );
  return (event) => {
    switch (event.type) {
      case "starting":
        break;
      case "waiting": {
        const line = `waiting for ${event.missing.length} of ${event.total} servers (${duration(event.elapsedMs / 1000)}): ${event.missing.join(", ")}`;
        if (terminal.live) terminal.status(line);
        else if (terminal.now() >= nextPlain) {
          nextPlain = terminal.now() + PLAIN_WAITING_MS;
          note(line);
        }
        break;
      }
      case "endpoint-unresolvable":
        note(`${named(event.endpoint)} cannot be resolved to an address; not waiting for it`);
        break;
      case "endpoints-waiting":
        terminal.status("");
        note(
          `waiting for ${counted(event.endpoints.length, "model endpoint")} (${duration(event.elapsedMs / 1000)}${mostOf(event)}), refused or without an answer so far: ${event.endpoints.map(named).join(", ")}`,
        );
        break;
      case "ready":
        terminal.status("");
        terminal.out(readyText(event));
        break;
      case "logging":
        format = event.format;
        break;
      case "log":
        if (format === "json") terminal.note(logJson(event));
        else for (const line of event.line.split("\n")) terminal.note(`[${event.server}] ${line}`);
        break;
      case "died":
        terminal.status("");
        // What it printed was shown as it came, and the error that ends the run shows the last of it.
        note(`${event.server} ended (${event.signal ?? `exit code ${event.exitCode}`})`);
        break;
      case "restarting":
        note(`${event.server} is started anew in ${duration(event.delayMs / 1000)} (${event.restart} of ${event.of})`);
        break;
      case "restarted":
        note(`${event.server} is ready again (process ${event.pid})`);
        break;
      case "stopping":
        note(`stopping servers: ${event.reason}`);
        break;
      case "stopped":
        if (event.killed.length > 0) note(`killed, because they did not stop in time: ${event.killed.join(", ")}`);
        note("all servers are stopped");
        break;
    }
  };
}

function named({ shown, keys }: ModelEndpoint): string {
  return `${shown} (${keys.join(", ")})`;
}

function mostOf({ limit }: Extract<HostEvent, { type: "endpoints-waiting" }>): string {
  return limit === undefined ? "" : `, at most ${limit.seconds} s by ${limit.key}`;
}

/** One JSON object a line, whoever wrote it. */
function logJson({ entry, server, stream, line }: Extract<HostEvent, { type: "log" }>): string {
  return JSON.stringify(entry ?? { time: new Date().toISOString(), server, stream, message: line });
}

/** Port of the head server where no configuration says another. */
const DEFAULT_HEAD_PORT = 11_000;

function readyText({ head, runToken, instances, elapsedMs }: Extract<HostEvent, { type: "ready" }>): string {
  const table = columns([
    ["server", "kind", "address", "process"],
    ...instances.map((one) => [
      one.config_path,
      `${one.server_type}/${one.name}`,
      one.url,
      `${(one.pids ?? [one.pid]).join(", ")}${one.hosting === "shared" ? " shared" : ""}`,
    ]),
  ]);
  const elsewhere = head.port === DEFAULT_HEAD_PORT ? "" : ` +head_server.port=${head.port}`;
  const what = `Collect from another terminal with ng-collect-rollouts${elsewhere}; Ctrl-C stops.`;
  return `${counted(instances.length, "server")} ready in ${duration(elapsedMs / 1000)}; head server at ${head.url}\n\n${table}\n${what}\n${runToken ? tokenText(runToken.file) : ""}`;
}

/** A head server that other machines reach tells its configuration only to who has the token of the run. */
function tokenText(file: string | undefined): string {
  const where =
    file === undefined ? "NG_RUN_TOKEN" : `${file}, where your commands on this machine find it; elsewhere set NG_RUN_TOKEN to it`;
  return `The head server listens beyond this machine: commands need the token of this run, which is in ${where}.\n`;
}
