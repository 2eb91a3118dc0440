/** The one place that writes to the process' streams, and so the one where text becomes safe to show. */
import { shown } from "./shown.ts";

export interface Terminal {
  /** Results. */
  out(text: string): void;
  /** A line (or lines) for people: progress, warnings, errors. */
  note(text: string): void;
  /** Replaces the status line (one refreshed line; only shown where `live`); empty text removes it. */
  status(text: string): void;
  /** Standard error is a terminal that can refresh a line. */
  readonly live: boolean;
  /** Width in columns. */
  readonly columns: number;
  /** Milliseconds; a monotonic clock. */
  now(): number;
}

const DEFAULT_COLUMNS = 80;
/** Back to the first column, then the line is empty. */
const CLEAR_LINE = "\r\u001b[2K";

/** The other end of a pipe closed, or the terminal went away. */
const READER_LEFT = new Set(["EPIPE", "EIO"]);

export interface Streams {
  stdout: NodeJS.WritableStream & { isTTY?: boolean };
  stderr: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
  env: Record<string, string | undefined>;
}

export interface ProcessTerminal extends Terminal {
  /** Resolves when everything written has left this process, with why results could not be written. */
  flush(): Promise<Error | undefined>;
}

export function createTerminal(streams: Streams): ProcessTerminal {
  const { stdout, stderr, env } = streams;
  const live = stderr.isTTY === true && env.TERM !== "dumb";
  const columns = stderr.columns ?? DEFAULT_COLUMNS;
  let line = "";
  // A reader that left (`ng-help | head -1`) is no reason to fail, and who cannot be told anything need not be told that.
  let unwritten: Error | undefined;
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (!READER_LEFT.has(error.code ?? "")) unwritten ??= error;
  });
  stderr.on("error", () => {});

  const withoutStatus = (write: () => void): void => {
    if (line !== "") stderr.write(CLEAR_LINE);
    write();
    if (line !== "") stderr.write(line);
  };
  return {
    live,
    columns,
    now: () => performance.now(),
    out: (text) => {
      if (text !== "") withoutStatus(() => stdout.write(shown(text)));
    },
    note: (text) => withoutStatus(() => stderr.write(shown(text.endsWith("\n") ? text : `${text}\n`))),
    status: (text) => {
      if (!live) return;
      const safe = shown(text.replaceAll("\n", " "));
      const next = safe.length < columns ? safe : `${safe.slice(0, columns - 2)}…`;
      if (next === line) return;
      stderr.write(CLEAR_LINE + next);
      line = next;
    },
    flush: async () => {
      await Promise.all([stdout, stderr].map((stream) => new Promise<void>((resolve) => stream.write("", () => resolve()))));
      return unwritten;
    },
  };
}
