/**
 * A server in Python in a process of its own: the program of its folder, configured by the environment variables of the reference. It knows nothing of
 * us: its port is let go right before it is spawned, it is ready when it answers anything at all, and it is stopped by a signal to its process group.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { delimiter } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CONFIG_VARIABLE } from "../../config/index.ts";
import type { GymError } from "../../errors/index.ts";
import { probe } from "../../http/index.ts";
import { cannotStart, endedByItself } from "./child-errors.ts";
import { LAST_LINES, type LineMask, readChildLines } from "./child-lines.ts";
import { HOSTED_VARIABLE } from "./child-protocol.ts";
import type { OnHostEvent } from "./events.ts";
import type { Host } from "./host.ts";
import type { InstancePlan } from "./plan.ts";
import { type GroupGuard, guardGroup, killGroup, tiedArguments } from "./python-guard.ts";
import type { KeptPort } from "./python-port.ts";

/** How long a server may take beyond the grace period before its group is killed. */
const KILL_AFTER_MS = 1_000;
/** Pauses between looks whether it answers: the first, and the longest. */
const FIRST_LOOK_MS = 50;
const LONGEST_LOOK_MS = 1_000;
/** A server that answers no sooner is told where it is asked: it may listen somewhere else. */
const TELL_WHERE_MS = 5_000;
/** How long output is waited for after the end: something that left the group may hold the pipes. */
const LAST_OUTPUT_MS = 1_000;
/** A signal to all processes of a run reaches the server too; only where the launcher is not stopping by then did it end by itself. */
const VERDICT_MS = 300;

export interface PythonHostOptions {
  plan: InstancePlan;
  port: KeptPort;
  /** The child's environment: the launcher's, the configuration, and what the reference exports. */
  env: NodeJS.ProcessEnv;
  mask: LineMask;
  onEvent: OnHostEvent;
}

export function createPythonHost({ plan, port, env, mask, onEvent }: PythonHostOptions): Host {
  const python = plan.python as string;
  const lastLines: string[] = [];
  const death = Promise.withResolvers<GymError>();
  const exited = Promise.withResolvers<void>();
  let child: ChildProcess | undefined;
  let guard: GroupGuard | undefined;
  let isStopping = (): boolean => false;

  function spawnProgram(): ChildProcess {
    const process = spawn(python, tiedArguments(python, plan.entrypoint), {
      cwd: plan.dir,
      env: pythonEnvironment(plan, env),
      // A group of its own: a signal to the launcher's group (Ctrl-C) is the launcher's to hand on, and workers end with their server.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of ["stdout", "stderr"] as const) {
      readChildLines(process[stream], (printed) => {
        const line = mask(printed);
        lastLines.push(line);
        if (lastLines.length > LAST_LINES) lastLines.shift();
        onEvent({ type: "log", server: plan.name, line, stream });
      });
    }
    if (process.pid !== undefined) guard = guardGroup(process.pid, env);
    const closed = new Promise<void>((resolve) => process.once("close", () => resolve()));
    process.once("exit", (exitCode, signal) => void afterExit(process, { exitCode, signal, closed }));
    return process;
  }

  async function afterExit(
    process: ChildProcess,
    end: { exitCode: number | null; signal: string | null; closed: Promise<void> },
  ): Promise<void> {
    killGroup(process.pid as number);
    await Promise.race([end.closed, pause(LAST_OUTPUT_MS)]);
    await guard?.release();
    exited.resolve();
    if (!isStopping()) await pause(VERDICT_MS);
    if (isStopping()) return;
    const { exitCode, signal } = end;
    onEvent({ type: "died", server: plan.name, exitCode, signal, lastLines });
    death.resolve(endedByItself(plan.name, process.pid, { exitCode, signal, lastLines }));
  }

  return {
    names: [plan.name],
    hosting: "process",
    get pid() {
      return child?.pid ?? 0;
    },
    died: death.promise,
    async start(signal) {
      isStopping = () => signal.aborted;
      await port.letGo(signal);
      signal.throwIfAborted();
      try {
        child = spawnProgram();
      } catch (cause) {
        throw cannotStart(plan.name, env, cause);
      }
      const process = child;
      const failed = new Promise<never>((_, reject) => {
        process.once("error", (cause) => reject(cannotStart(plan.name, env, cause)));
        death.promise.then(reject);
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      });
      const done = new AbortController();
      try {
        const url = `http://${plan.host}:${plan.port}/`;
        const tellWhere = (): void => onEvent({ type: "log", server: plan.name, line: notThere(url), stream: "stderr" });
        await Promise.race([answers(url, { signal: AbortSignal.any([signal, done.signal]), tellWhere }), failed]);
      } finally {
        done.abort();
      }
      return [{ name: plan.name }];
    },
    async stop(graceMs) {
      isStopping = () => true;
      const running = child;
      if (running?.pid === undefined || running.exitCode !== null || running.signalCode !== null) {
        if (running?.pid !== undefined) await exited.promise;
        return [];
      }
      let killed = false;
      const timer = setTimeout(() => {
        killed = killGroup(running.pid as number);
      }, graceMs + KILL_AFTER_MS);
      running.kill("SIGTERM");
      await exited.promise;
      clearTimeout(timer);
      return killed ? [plan.name] : [];
    },
    status: async () => ({ pid: child?.pid ?? 0, hosting: "python", servers: [], targets: {} }),
  };
}

/** What the reference gives its servers; and the address alone, for programs that do not read YAML. */
function pythonEnvironment({ name, dir, host, port }: InstancePlan, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    ...env,
    [HOSTED_VARIABLE]: undefined,
    NEMO_GYM_CONFIG_PATH: name,
    NG_GYM_HOST: host,
    NG_GYM_PORT: String(port),
    PYTHONPATH: env.PYTHONPATH ? `${dir}${delimiter}${env.PYTHONPATH}` : dir,
    PYTHONUNBUFFERED: "1",
  };
}

/** Resolves when something answers; the spin-up deadline is the caller's. */
async function answers(url: string, { signal, tellWhere }: { signal: AbortSignal; tellWhere: () => void }): Promise<void> {
  const began = performance.now();
  let told = false;
  for (let wait = FIRST_LOOK_MS; ; wait = Math.min(wait * 1.5, LONGEST_LOOK_MS)) {
    await sleep(wait, undefined, { signal });
    if ((await probe(url, { signal })) === "answering") return;
    if (told || performance.now() - began < TELL_WHERE_MS) continue;
    told = true;
    tellWhere();
  }
}

function notThere(url: string): string {
  return `nothing answers at ${url} yet: the server must listen there (NG_GYM_HOST and NG_GYM_PORT, or host and port of its block in ${CONFIG_VARIABLE})`;
}

function pause(ms: number): Promise<void> {
  return sleep(ms, undefined, { ref: false });
}
