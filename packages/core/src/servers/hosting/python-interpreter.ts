/**
 * The Python that runs a server. It is found when a run is planned, without running anything; when the run starts it is asked once for its real
 * path, since what a PATH leads to is often a shim that takes longer than Python itself.
 */
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { promisify } from "node:util";
import { candidatePaths } from "../../config/index.ts";
import { GymError } from "../../errors/index.ts";
import type { InstancePlan } from "./plan.ts";

/** What `python` is where neither a block nor the top level sets it. */
export const DEFAULT_PYTHON = "python3";
/** Longest time for an interpreter to say where it is. */
const ASK_LIMIT_MS = 30_000;
/** End of what an interpreter that does not run says. */
const SHOWN_CHARS = 500;

export interface PythonPlace {
  /** The server's folder. */
  dir: string;
  cwd: string;
  env: Record<string, string | undefined>;
}

/**
 * The program that a `python:` key names: a name is looked for on the PATH; a relative path in the server's folder, then where all relative paths
 * are looked for.
 * @throws Error where there is none.
 */
export function findPython(value: unknown, { dir, cwd, env }: PythonPlace): string {
  const name = value ?? DEFAULT_PYTHON;
  if (typeof name !== "string" || name === "")
    throw new Error(`python must be the name or path of an interpreter, not ${JSON.stringify(name)}`);
  const isName = !name.includes("/");
  const places = isName
    ? (env.PATH ?? "").split(delimiter).map((folder) => resolve(cwd, folder, name))
    : [...(isAbsolute(name) ? [] : [join(dir, name)]), ...candidatePaths(name, { cwd, env }).map((path) => resolve(cwd, path))];
  const found = places.find(isProgram);
  if (found !== undefined) return found;
  const where = isName ? "on the PATH" : `at ${places.join(", ")}`;
  throw new Error(
    `there is no Python interpreter ${name} ${where}: install it, or name another one with the key python (block or top level)`,
  );
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * Puts the real path of each interpreter into the plans, each asked once for a folder (a shim may choose by folder).
 * @throws GymError NG_ERR_SERVER_START for one that does not run.
 */
export async function resolveInterpreters(plans: readonly InstancePlan[], env: NodeJS.ProcessEnv): Promise<void> {
  const asked = new Map<string, Promise<string>>();
  await Promise.all(
    plans.map(async (plan) => {
      if (plan.python === undefined) return;
      const key = `${plan.python}\0${plan.dir}`;
      const answer = asked.get(key) ?? realPath(plan.python, plan, env);
      asked.set(key, answer);
      plan.python = await answer;
    }),
  );
}

async function realPath(python: string, { name, dir }: InstancePlan, env: NodeJS.ProcessEnv): Promise<string> {
  try {
    const { execFile } = await import("node:child_process");
    const { stdout } = await promisify(execFile)(python, ["-I", "-c", "import sys; print(sys.executable)"], {
      cwd: dir,
      env,
      timeout: ASK_LIMIT_MS,
      killSignal: "SIGKILL",
    });
    const path = stdout.trim().split("\n").at(-1) ?? "";
    if (!isAbsolute(path)) throw new Error(`it answers ${JSON.stringify(path)} where it is asked for its path`);
    return path;
  } catch (cause) {
    const { stderr, message } = cause as { stderr?: string; message: string };
    throw new GymError(
      "NG_ERR_SERVER_START",
      `${name}: ${python} does not run as a Python interpreter: ${(stderr || message).trim().slice(-SHOWN_CHARS)}`,
      {
        hint: "Name one that runs with the key python, in the server's block or at the top level.",
        cause,
      },
    );
  }
}
