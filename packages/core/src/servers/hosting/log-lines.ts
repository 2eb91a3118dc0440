/**
 * Log lines between a child and its launcher. The child writes them on its standard error, so that the last ones arrive however it ends; a random mark
 * in front tells them from what a server's own code prints, which might be text of a model.
 */
import { randomBytes } from "node:crypto";
import { type LogEntry, logText, parseLogEntry } from "../../telemetry/index.ts";
import type { HostEvent } from "./events.ts";

export type LogEvent = Extract<HostEvent, { type: "log" }>;

const MARK_BYTES = 9;

export function createLogMark(): string {
  return `@${randomBytes(MARK_BYTES).toString("base64url")}`;
}

export function markedLine(mark: string, line: string): string {
  return `${mark} ${line}\n`;
}

/** A line of the log as an event. */
export function logEvent(entry: LogEntry): LogEvent {
  return { type: "log", server: entry.server, line: logText(entry), stream: "stderr", entry };
}

/** A line that a child wrote: of its log where it has the mark, else of its own. */
export function childLogEvent(server: string, line: string, { mark, stream }: { mark: string; stream: "stdout" | "stderr" }): LogEvent {
  const entry = line.startsWith(`${mark} `) ? parseLogEntry(line.slice(mark.length + 1)) : undefined;
  return entry === undefined ? { type: "log", server, line, stream } : logEvent(entry);
}
