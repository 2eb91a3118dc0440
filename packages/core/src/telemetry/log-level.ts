/** Levels of a log, least first. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Quiet: what a person should know of, and nothing else. */
export const DEFAULT_LOG_LEVEL: LogLevel = "warn";

export interface LogSettings {
  level: LogLevel;
  /** For people, or one JSON object a line. */
  format: "text" | "json";
}

/** From the configuration's `log_level` (which `verbose` lowers to `debug` where it is not set) and `log_format`. */
export function logSettings(get: (key: string) => unknown): LogSettings {
  const level = LOG_LEVELS.find((one) => one === get("log_level"));
  return { level: level ?? (isOn(get("verbose")) ? "debug" : DEFAULT_LOG_LEVEL), format: get("log_format") === "json" ? "json" : "text" };
}

function isOn(flag: unknown): boolean {
  return flag === true || flag === "true";
}
