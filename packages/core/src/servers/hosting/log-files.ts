/** `nemo_gym_log_dir`: what a server logs and prints is appended to a file of its own, beside what is shown. */
import { createWriteStream, type WriteStream } from "node:fs";
import { join } from "node:path";
import { GymError, messageOf } from "../../errors/index.ts";
import { makeFolder } from "../../jsonl/index.ts";
import type { HostEvent } from "./events.ts";
import type { LogEvent } from "./log-lines.ts";

/** Bytes that wait for a slow disk; lines beyond are left out and counted. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

export interface LogFiles {
  take(event: HostEvent): void;
  close(): Promise<void>;
}

export interface LogFilesOptions {
  folder: string;
  format: "text" | "json";
  /** Told once for each file that cannot be written. */
  onProblem: (event: LogEvent) => void;
}

interface LogFile {
  stream: WriteStream;
  leftOut: number;
  broken: boolean;
}

/** @throws GymError NG_ERR_FILE where the folder cannot be made. */
export async function openLogFiles({ folder, format, onProblem }: LogFilesOptions): Promise<LogFiles> {
  const files = new Map<string, LogFile>();
  try {
    await makeFolder(folder);
  } catch (cause) {
    throw new GymError("NG_ERR_FILE", `nemo_gym_log_dir: ${folder} cannot be made: ${messageOf(cause)}`, { cause });
  }

  function fileOf(server: string): LogFile {
    let file = files.get(server);
    if (file === undefined) {
      const opened: LogFile = {
        stream: createWriteStream(join(folder, `${server.replaceAll("/", "_")}.log`), { flags: "a" }),
        leftOut: 0,
        broken: false,
      };
      opened.stream.on("error", (error) => {
        opened.broken = true;
        onProblem({ type: "log", server, line: `its log file cannot be written: ${error.message}`, stream: "stderr" });
      });
      file = opened;
      files.set(server, file);
    }
    return file;
  }

  return {
    take(event) {
      if (event.type !== "log") return;
      const file = fileOf(event.server);
      if (file.broken) return;
      if (file.stream.writableLength > MAX_WAITING_BYTES) {
        file.leftOut++;
        return;
      }
      if (file.leftOut > 0) file.stream.write(`(${file.leftOut} lines were left out: the disk is slow)\n`);
      file.leftOut = 0;
      file.stream.write(`${fileLine(event, format)}\n`);
    },
    async close() {
      await Promise.all([...files.values()].map(({ stream }) => new Promise<void>((resolve) => stream.end(() => resolve()))));
    },
  };
}

function fileLine({ entry, line }: LogEvent, format: "text" | "json"): string {
  if (entry === undefined) return line;
  return format === "json" ? JSON.stringify(entry) : `${entry.time} ${line}`;
}
