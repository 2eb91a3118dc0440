/**
 * Structured logs: each line is an object with time, level, server, request, rollout and message. One writer a process; what a line goes through on
 * its way is the same for all: secrets are masked, control characters are shown as text, its length is bounded. The library is loaded with the first line.
 */
import { createRequire } from "node:module";
import type { Logger } from "pino";
import { GymError, isSecretKey, MASK, maskText, messageOf, printable } from "../errors/index.ts";
import { currentCall } from "./context.ts";
import { LOG_LEVELS, type LogLevel } from "./log-level.ts";

/** Beside the message: `error` is told with its code, message and stack; other facts as they are. */
export interface LogFacts {
  error?: unknown;
  [fact: string]: unknown;
}

export type LogMethod = (message: string, facts?: LogFacts) => void;

/** A server's log. A plain call is a warning: something that whoever runs the server should see. `info` and `debug` are silent unless asked for. */
export interface Log extends LogMethod {
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
}

/** Where lines go that nobody structures. */
export type LogLine = LogMethod;

export interface LogsOptions {
  level: LogLevel;
  /** Takes one line, a JSON object without its line feed. */
  write: (line: string) => void;
  /** Texts that no line may hold: the secrets of the configuration, which may still become known. */
  secrets?: ReadonlySet<string>;
}

export interface Logs {
  /** `least`: the least level of its lines where that is not the level of all. */
  of(server: string, least?: LogLevel): Log;
}

/** What a line itself says: no fact stands for it. */
const RESERVED = new Set(["time", "level", "server", "request", "rollout", "message", "error", "left_out"]);
/** Longest message of a line. */
export const LOG_MESSAGE_LIMIT_CHARS = 4_000;
/** Longest text of one fact. */
const FACT_LIMIT_CHARS = 1_000;
/** Longest JSON text of all facts of a line; more are left out. With the message a line stays below what a launcher reads as one. */
const ALL_FACTS_LIMIT_CHARS = 6_000;
const STACK_LIMIT_CHARS = 3_000;
const FACTS_LIMIT = 20;
const FACTS_DEPTH = 3;

export function createLogs({ level, write, secrets = new Set() }: LogsOptions): Logs {
  let pino: Logger | undefined;

  const clean = (text: string, limit: number): string => {
    let masked = maskText(text.slice(0, 2 * limit));
    for (const secret of secrets) masked = masked.replaceAll(secret, MASK);
    const safe = printable(masked);
    return safe.length <= limit ? safe : `${safe.slice(0, limit)}… (${text.length} characters)`;
  };

  function cleanFact(value: unknown, depth = 0): unknown {
    if (typeof value === "string") return clean(value, FACT_LIMIT_CHARS);
    if (typeof value === "bigint") return String(value);
    if (typeof value !== "object" || value === null) return value;
    if (depth >= FACTS_DEPTH) return Array.isArray(value) ? "[...]" : "{...}";
    if (Array.isArray(value)) return value.slice(0, FACTS_LIMIT).map((item) => cleanFact(item, depth + 1));
    const entries = Object.entries(value).slice(0, FACTS_LIMIT);
    return Object.fromEntries(
      entries.map(([key, item]) => [clean(key, 100), isSecretKey(key) && item !== null ? MASK : cleanFact(item, depth + 1)]),
    );
  }

  function errorFacts(error: unknown): unknown {
    if (error instanceof GymError) return cleanFact({ type: error.name, code: error.code, message: error.message, details: error.details });
    if (error instanceof Error) {
      const stack = clean(error.stack ?? error.message, STACK_LIMIT_CHARS);
      return { type: error.name, code: (error as NodeJS.ErrnoException).code, message: clean(error.message, FACT_LIMIT_CHARS), stack };
    }
    return { message: clean(messageOf(error), FACT_LIMIT_CHARS) };
  }

  function tell(at: LogLevel, server: string, message: string, facts: LogFacts | undefined): void {
    pino ??= openPino(write);
    const call = currentCall();
    let line: Record<string, unknown> = { server };
    if (call !== undefined) {
      line.request = call.requestId;
      if (call.rolloutId !== undefined) line.rollout = call.rolloutId;
    }
    if (facts !== undefined) {
      const { error, ...others } = facts;
      const told: Record<string, unknown> = { ...line };
      for (const [name, value] of Object.entries(cleanFact(others) as object)) told[RESERVED.has(name) ? `${name}_` : name] = value;
      if (error !== undefined) told.error = errorFacts(error);
      const size = JSON.stringify(told).length;
      if (size <= ALL_FACTS_LIMIT_CHARS) line = told;
      else line.left_out = `${size} characters of facts`;
    }
    pino[at](line, "%s", clean(message, LOG_MESSAGE_LIMIT_CHARS));
  }

  return {
    of(server, least = level) {
      const lowest = LOG_LEVELS.indexOf(least);
      const method = (at: LogLevel): LogMethod =>
        LOG_LEVELS.indexOf(at) < lowest ? () => {} : (message, facts) => tell(at, server, message, facts);
      return logOf({ debug: method("debug"), info: method("info"), warn: method("warn"), error: method("error") });
    },
  };
}

function logOf(methods: Record<LogLevel, LogMethod>): Log {
  return Object.assign(((message, facts) => methods.warn(message, facts)) as LogMethod, methods);
}

/** A log over a function that takes lines: a test's, or none's. */
export function toLog(log: Log | LogLine): Log {
  if ("warn" in log) return log;
  const method: LogMethod = (message, facts) => {
    const error = facts?.error;
    const told = error === undefined ? message : `${message}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
    log(printable(told).slice(0, LOG_MESSAGE_LIMIT_CHARS));
  };
  return logOf({ debug: () => {}, info: () => {}, warn: method, error: method });
}

/** Loaded at once, because the line is to be written at once. */
function openPino(write: (line: string) => void): Logger {
  const { pino } = createRequire(import.meta.url)("pino") as typeof import("pino");
  return pino(
    {
      // Whose log it is decides which lines there are.
      level: LOG_LEVELS[0],
      base: null,
      messageKey: "message",
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => write(line.trimEnd()) },
  );
}
