/**
 * Nothing of a Python server outlives its launcher, however that goes. Two guards, since a foreign program has no channel to us:
 *
 * - a shell beside it waits at a pipe that only the launcher holds; where the pipe ends without a word, the launcher is gone and the shell kills the
 *   server's whole process group (a server may have workers of its own). Works wherever there is a POSIX shell.
 * - on Linux the server itself asks the kernel to be killed with its parent, before it becomes the program: it covers the moment until the shell is
 *   there, and its own end. Elsewhere this second guard is missing.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { CONFIG_VARIABLE } from "../../config/index.ts";

/** Signals meant for the run do not end the guard. At the end of the pipe without a line: kill the group that is named. */
const GUARD = 'trap "" INT TERM HUP QUIT PIPE; read -r line || kill -s KILL -- "-$1"';

/**
 * Runs before the program, in the same process. Arguments: pid of the launcher, the interpreter, the program. PR_SET_PDEATHSIG is 1; it outlives the
 * change of program. A launcher that went in between left no signal, but another parent.
 */
const BOOT = `
import os, sys
parent, python, program = sys.argv[1:4]
try:
    import ctypes
    ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)
except Exception:
    pass
if os.getppid() != int(parent):
    os._exit(1)
os.execv(python, [python, program])
`;

/** Arguments for the interpreter that make it the program `entrypoint`, tied to this process. Isolated: nothing of the server's folder is imported. */
export function tiedArguments(python: string, entrypoint: string): string[] {
  return ["-I", "-S", "-c", BOOT, String(process.pid), python, entrypoint];
}

export interface GroupGuard {
  /** The group is gone: the guard ends without killing. Resolves when it has. */
  release(): Promise<void>;
}

export function guardGroup(group: number, env: NodeJS.ProcessEnv): GroupGuard {
  const guard: ChildProcess = spawn("/bin/sh", ["-c", GUARD, "ng-gym-guard", String(group)], {
    // The configuration holds secrets, and is none of its business.
    env: { ...env, [CONFIG_VARIABLE]: undefined },
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const ended = new Promise<void>((resolve) => {
    guard.once("error", () => resolve());
    guard.once("exit", () => resolve());
  });
  guard.stdin?.on("error", () => {});
  // It must not keep a launcher alive that is done otherwise; that launcher's end is what it waits for.
  guard.unref();
  (guard.stdin as unknown as { unref?(): void } | null)?.unref?.();
  return {
    async release() {
      guard.ref();
      guard.stdin?.end("done\n");
      await ended;
    },
  };
}

/** Kills every process of a group; true where there was one. */
export function killGroup(group: number): boolean {
  try {
    process.kill(-group, "SIGKILL");
    return true;
  } catch {
    return false;
  }
}
