/**
 * Command line tools as real children. Every child gets a mark in its environment that its descendants inherit, so that what it leaves behind
 * is found wherever it went.
 */
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { execa } from "execa";
import { type ProcessInfo, processesWithVariable, processTree, SURVIVOR_WAIT_MS, untilEmpty } from "./process-table.ts";

export interface CommandOptions {
  cwd?: string;
  /** Added to this process's environment; undefined removes a variable. */
  env?: Record<string, string | undefined>;
  /** Text for standard input; default none, at its end at once. */
  input?: string;
  /** Kills the child (SIGKILL) after so long; default 60 s. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

export interface CommandResult {
  /** Undefined where a signal ended it. */
  exitCode: number | undefined;
  signal: string | undefined;
  stdout: string;
  stderr: string;
  timedOut: boolean;
  /** Descendants that still run, after a moment to end; they are killed once they are found. */
  leftBehind(waitMs?: number): Promise<ProcessInfo[]>;
}

export interface RunningCommand extends AsyncDisposable {
  readonly pid: number;
  /** So far. */
  readonly stdout: string;
  readonly stderr: string;
  readonly exited: Promise<CommandResult>;
  /** The first line that matches, of either stream, also one that came before; throws with all output where the command ends without it. */
  waitForLine(pattern: RegExp, timeoutMs?: number): Promise<RegExpExecArray>;
  kill(signal?: NodeJS.Signals): void;
  /** It and its descendants now. */
  tree(): ProcessInfo[];
}

export const COMMAND_TIMEOUT_MS = 60_000;
export const LINE_TIMEOUT_MS = 20_000;
const MARK = "NG_TEST_MARK";

/** Runs the command to its end; never throws for how it ended. */
export async function runCommand(argv: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  await using command = startCommand(argv, { timeoutMs: COMMAND_TIMEOUT_MS, ...options }, false);
  return await command.exited;
}

/** Starts the command. Leaving the block kills it and whatever descends from it. */
export function startCommand(argv: readonly string[], options: CommandOptions = {}, reap = true): RunningCommand {
  const [file = "", ...args] = argv;
  const mark = randomUUID();
  const output = { stdout: "", stderr: "" };
  const waiting = new Set<() => void>();
  const lines: string[] = [];
  const child = execa(file, args, {
    cwd: options.cwd,
    env: { ...options.env, [MARK]: mark },
    ...(options.input === undefined ? { stdin: "ignore" as const } : { input: options.input }),
    timeout: options.timeoutMs ?? 0,
    killSignal: "SIGKILL",
    cancelSignal: options.signal,
    reject: false,
    stripFinalNewline: false,
    buffer: false,
  });
  const closed = (["stdout", "stderr"] as const).map((name) => {
    const stream = child[name];
    stream.setEncoding("utf8");
    stream.on("data", (chunk: string) => {
      output[name] += chunk;
    });
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      for (const look of waiting) look();
    });
    return new Promise<void>((resolve) => stream.once("close", () => resolve()));
  });
  const marked = (): ProcessInfo[] => processesWithVariable(MARK, mark);
  const exited: Promise<CommandResult> = Promise.all([child, ...closed]).then(([result]) => ({
    exitCode: result.exitCode,
    signal: result.signal,
    ...output,
    // A command that cannot be started at all has only this to say.
    stderr: result.exitCode === undefined && result.signal === undefined ? `${output.stderr}${result.shortMessage ?? ""}` : output.stderr,
    timedOut: result.timedOut,
    leftBehind: async (waitMs = SURVIVOR_WAIT_MS) => {
      const left = await untilEmpty(marked, waitMs);
      killAll(left);
      return left;
    },
  }));

  async function waitForLine(pattern: RegExp, timeoutMs = LINE_TIMEOUT_MS): Promise<RegExpExecArray> {
    const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
    let seen = 0;
    const look = (): void => {
      for (; seen < lines.length; seen++) {
        const match = pattern.exec(lines[seen] ?? "");
        if (match !== null) {
          seen = lines.length;
          resolve(match);
        }
      }
    };
    const fail = (why: string): void =>
      reject(new Error(`${why} without a line like ${pattern}\nstdout:\n${output.stdout}\nstderr:\n${output.stderr}`));
    const timer = setTimeout(() => fail(`${argv.join(" ")}: ${timeoutMs} ms passed`), timeoutMs);
    waiting.add(look);
    look();
    void exited.then((result) => fail(`${argv.join(" ")}: ended (exit ${result.exitCode}, signal ${result.signal})`));
    return promise.finally(() => {
      clearTimeout(timer);
      waiting.delete(look);
    });
  }

  return {
    pid: child.pid ?? 0,
    get stdout() {
      return output.stdout;
    },
    get stderr() {
      return output.stderr;
    },
    exited,
    waitForLine,
    kill: (signal = "SIGTERM") => void child.kill(signal),
    tree: () => processTree(child.pid ?? 0),
    [Symbol.asyncDispose]: async () => {
      if (reap) killAll(marked());
      else child.kill("SIGKILL");
      await exited;
    },
  };
}

function killAll(infos: readonly ProcessInfo[]): void {
  for (const { pid } of infos) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended by itself meanwhile.
    }
  }
}
