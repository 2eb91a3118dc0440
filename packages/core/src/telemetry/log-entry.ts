/** One line of a log as data, and how it reads. */
import { printable } from "../errors/index.ts";
import { LOG_LEVELS, type LogLevel } from "./log-level.ts";

export interface LogEntry {
  /** ISO 8601, UTC. */
  time: string;
  level: LogLevel;
  server: string;
  request?: string;
  rollout?: string;
  message: string;
  /** Facts of an error, and what else the line was given. */
  [fact: string]: unknown;
}

/** What a text line does not repeat as a fact. */
const SHOWN = new Set(["time", "level", "server", "message"]);

/** Undefined where the text is not a line of ours. */
export function parseLogEntry(text: string): LogEntry | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isEntry(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isEntry(value: unknown): value is LogEntry {
  if (typeof value !== "object" || value === null) return false;
  const { time, level, server, message } = value as Record<string, unknown>;
  return typeof time === "string" && typeof server === "string" && typeof message === "string" && LOG_LEVELS.includes(level as LogLevel);
}

/** For people: `mcqa: message (rollout 3-1, request 5f...)`, the level in front where it is not a warning. Lines after the first are those of the message. */
export function logText(entry: LogEntry): string {
  const [first = "", ...more] = printable(entry.message).split("\n");
  const { error, ...facts } = entry;
  const told = Object.entries(facts)
    .filter(([name]) => !SHOWN.has(name))
    .map(([name, value]) => `${name} ${printable(typeof value === "string" ? value : JSON.stringify(value)).replaceAll("\n", " ")}`);
  const level = entry.level === "warn" ? "" : `${entry.level}: `;
  const { stack, message } = (typeof error === "object" && error !== null ? error : {}) as { stack?: unknown; message?: unknown };
  const reason = typeof stack !== "string" && typeof message === "string" ? `: ${printable(message).replaceAll("\n", " ")}` : "";
  return [
    `${level}${first}${reason}${told.length === 0 ? "" : ` (${told.join(", ")})`}`,
    ...more,
    ...(typeof stack === "string" ? printable(stack).split("\n") : []),
  ].join("\n");
}
