/** Errors about files, with the place in the file. */
import { GymError, messageOf } from "../errors/index.ts";

/** NG_ERR_FILE: the operating system refused to read or write. */
export function fileError(path: string, doing: "read" | "write", cause: unknown): GymError {
  const code = (cause as NodeJS.ErrnoException)?.code;
  const hint =
    code === "ENOSPC" || code === "EDQUOT"
      ? "Free space on that disk and run the same command again with resume: rows that are already written are kept."
      : code === "ENOENT"
        ? "Check the path."
        : undefined;
  const reason = code === "ENOSPC" ? "no space left on the disk" : messageOf(cause);
  return new GymError("NG_ERR_FILE", `cannot ${doing} ${path}: ${reason}`, { hint, cause, details: { path, code } });
}

/** NG_ERR_DATA: line `line` (from 1) of `path` is not what it must be. */
export function lineError(path: string, line: number, problem: string, options: { hint?: string; cause?: unknown } = {}): GymError {
  return new GymError("NG_ERR_DATA", `${path}:${line}: ${problem}`, { ...options, details: { path, line } });
}
