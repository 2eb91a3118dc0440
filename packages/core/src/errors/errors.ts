/**
 * The one error class of the project and the one table of its codes.
 *
 * A `GymError` is something that went wrong in the world (a file, a server, an endpoint, a setting) and that a person can act on.
 * Mistakes of the programmer stay plain `Error`. Messages say what was expected, what was got and where; the hint says what to do.
 */

/** Exit code 1: configuration error, failed run, nothing scored, or incomplete under `--strict`. */
export const EXIT_FAILED = 1;
/** Exit code 2: usage. */
export const EXIT_USAGE = 2;
/** Exit code 130: interrupted. */
export const EXIT_INTERRUPTED = 130;

/** Code -> what it means in one sentence and the exit code of a command that ends with it. `docs/errors.md` shows the same table. */
export const ERROR_CODES = {
  NG_ERR_USAGE: { summary: "The command line does not parse or lacks a required parameter.", exitCode: EXIT_USAGE },
  NG_ERR_CONFIG: { summary: "The configuration is wrong; every problem is listed with its place.", exitCode: EXIT_FAILED },
  NG_ERR_CONFIG_NOT_FOUND: { summary: "A configuration file does not exist in any search root.", exitCode: EXIT_FAILED },
  NG_ERR_CONFIG_SYNTAX: { summary: "A file is not valid YAML.", exitCode: EXIT_FAILED },
  NG_ERR_OVERRIDE: { summary: "A command-line override does not parse or cannot be applied.", exitCode: EXIT_FAILED },
  NG_ERR_INTERPOLATION: { summary: "A ${...} expression names something that does not exist, or refers to itself.", exitCode: EXIT_FAILED },
  NG_ERR_SERVER_NOT_FOUND: { summary: "A server is named that the configuration does not have.", exitCode: EXIT_FAILED },
  NG_ERR_PORT_IN_USE: { summary: "A fixed port is taken by another process, or a port range is exhausted.", exitCode: EXIT_FAILED },
  NG_ERR_SERVER_START: { summary: "A server did not become ready.", exitCode: EXIT_FAILED },
  NG_ERR_SERVER_DIED: { summary: "A server process ended while it was needed.", exitCode: EXIT_FAILED },
  NG_ERR_HEAD_UNREACHABLE: { summary: "No head server answers at the configured address.", exitCode: EXIT_FAILED },
  NG_ERR_RUN_TOKEN: { summary: "The head server listens beyond its machine and wants the token of its run.", exitCode: EXIT_FAILED },
  NG_ERR_UNREACHABLE: { summary: "A connection was refused or the host cannot be resolved.", exitCode: EXIT_FAILED },
  NG_ERR_PEER_DROP: { summary: "The other side closed the connection before its answer was complete.", exitCode: EXIT_FAILED },
  NG_ERR_TIMEOUT: { summary: "A call took longer than its limit; the message names the limit.", exitCode: EXIT_FAILED },
  NG_ERR_LOCAL_RESOURCE: { summary: "This machine is out of descriptors, ports or memory.", exitCode: EXIT_FAILED },
  NG_ERR_UPSTREAM_STATUS: { summary: "A server answered with an error status.", exitCode: EXIT_FAILED },
  NG_ERR_BAD_RESPONSE: { summary: "A server answered with a body that is not what its route promises.", exitCode: EXIT_FAILED },
  NG_ERR_CANCELLED: { summary: "The caller went away or the run was stopped.", exitCode: EXIT_INTERRUPTED },
  NG_ERR_OVERLOADED: { summary: "A bounded queue is full or a place in it was not had in time.", exitCode: EXIT_FAILED },
  NG_ERR_SESSION: { summary: "A session is another's, was closed, or cannot do what was asked of it.", exitCode: EXIT_FAILED },
  NG_ERR_VERIFIER: { summary: "A verifier failed, so there is no reward.", exitCode: EXIT_FAILED },
  NG_ERR_NO_CHECKS: { summary: "A row has nothing to check, so there is no reward.", exitCode: EXIT_FAILED },
  NG_ERR_DATA: { summary: "A line of a JSONL file is not what it must be; the message names file and line.", exitCode: EXIT_FAILED },
  NG_ERR_FILE: { summary: "A file cannot be read or written.", exitCode: EXIT_FAILED },
  NG_ERR_RESUME_MISMATCH: {
    summary: "The run to resume was made with other settings; the message shows the difference.",
    exitCode: EXIT_FAILED,
  },
  NG_ERR_NOTHING_SCORED: { summary: "Rows were dispatched but not one was scored.", exitCode: EXIT_FAILED },
  NG_ERR_TOO_MANY_FAILURES: {
    summary: "So many rollouts of a run failed that the rest was not started; `max_failure_ratio` says how many that is.",
    exitCode: EXIT_FAILED,
  },
  NG_ERR_INCOMPLETE: { summary: "Coverage is below 100 % and the run was asked to be complete.", exitCode: EXIT_FAILED },
} as const satisfies Record<`NG_ERR_${string}`, { summary: string; exitCode: number }>;

export type ErrorCode = keyof typeof ERROR_CODES;

export interface GymErrorOptions {
  /** What to do about it, one sentence or a few lines. */
  hint?: string;
  cause?: unknown;
  /** Machine-readable facts (server, url, status, failure kind, ...): shown by `--json`, never secret. */
  details?: Record<string, unknown>;
}

/** The project's error. `message` is for people and already free of secrets and control characters. */
export class GymError extends Error {
  override readonly name = "GymError";
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly details: Record<string, unknown>;

  constructor(code: ErrorCode, message: string, options: GymErrorOptions = {}) {
    super(printable(message), options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint === undefined ? undefined : printable(options.hint);
    this.details = options.details ?? {};
  }

  get exitCode(): number {
    return ERROR_CODES[this.code].exitCode;
  }
}

export function isGymError(error: unknown, code?: ErrorCode): error is GymError {
  return error instanceof GymError && (code === undefined || error.code === code);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Text without control characters (line feeds and tabs stay), so that hostile input cannot steer a terminal or forge a log line. */
export function printable(text: string): string {
  return text.replace(CONTROL, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
