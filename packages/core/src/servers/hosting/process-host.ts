/** An instance (with the environment servers in front of it) in a child process of its own. The launcher binds its ports and hands the sockets over. */
import { type ChildProcess, fork } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import type { Server } from "node:net";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { type ErrorCode, GymError } from "../../errors/index.ts";
import { type FromChild, HOSTED_VARIABLE, type PortMessage, type StartMessage, type StopMessage } from "./child-protocol.ts";
import type { OnHostEvent } from "./events.ts";
import type { Host, HostedServer } from "./host.ts";
import type { InstancePlan } from "./plan.ts";

/** Lines of a child that are kept for the report of its death. */
export const LAST_LINES = 20;
/** How long a child may take beyond the grace period before it is killed. */
const KILL_AFTER_MS = 1_000;

export interface ProcessHostOptions {
  plans: readonly InstancePlan[];
  bound: ReadonlyMap<string, Server>;
  start: Omit<StartMessage, "type" | "plans">;
  /** The child's environment: the launcher's plus the configuration. */
  env: NodeJS.ProcessEnv;
  onEvent: OnHostEvent;
}

/** A child uses the compile cache of its launcher, if that has one. */
function compileCache(): NodeJS.ProcessEnv {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}

export function createProcessHost(options: ProcessHostOptions): Host {
  const { plans, bound, onEvent } = options;
  const main = plans[0] as InstancePlan;
  const lastLines: string[] = [];
  const death = Promise.withResolvers<GymError>();
  const exited = Promise.withResolvers<void>();
  let child: ChildProcess | undefined;
  let stopping = false;

  function watchLines(process: ChildProcess): void {
    for (const stream of ["stdout", "stderr"] as const) {
      const input = process[stream];
      if (!input) continue;
      createInterface({ input }).on("line", (line) => {
        lastLines.push(line);
        if (lastLines.length > LAST_LINES) lastLines.shift();
        onEvent({ type: "log", server: main.name, line, stream });
      });
    }
  }

  function spawn(): ChildProcess {
    const process = fork(main.entrypoint, [], {
      cwd: main.dir,
      env: { ...options.env, ...compileCache(), NEMO_GYM_CONFIG_PATH: main.name, [HOSTED_VARIABLE]: "1" },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    watchLines(process);
    // "close" comes after the last line of the child's output was read.
    process.once("close", (exitCode, signal) => {
      exited.resolve();
      if (stopping) return;
      onEvent({ type: "died", server: main.name, exitCode, signal, lastLines });
      const how = signal ? `was ended by ${signal}` : `ended with exit code ${exitCode}`;
      const lines = lastLines.length > 0 ? `; its last lines:\n${lastLines.map((line) => `  ${line}`).join("\n")}` : " without a word";
      death.resolve(
        new GymError("NG_ERR_SERVER_DIED", `${main.name} (process ${process.pid}) ${how}${lines}`, {
          details: { server: main.name, exitCode, signal },
        }),
      );
    });
    return process;
  }

  /** Hands the bound sockets over; our own copies are closed, the child's keep listening. */
  async function handOver(process: ChildProcess): Promise<void> {
    const send = (message: StartMessage | PortMessage, handle?: Server): Promise<void> =>
      new Promise((resolve) => process.send(message, handle, {}, () => resolve()));
    await send({ type: "start", plans: [...plans], ...options.start });
    for (const plan of plans) {
      const server = bound.get(plan.name);
      await send({ type: "port", name: plan.name }, server);
      server?.close();
    }
  }

  return {
    names: plans.map((plan) => plan.name),
    hosting: "process",
    get pid() {
      return child?.pid ?? 0;
    },
    died: death.promise,
    async start(signal) {
      const process = spawn();
      child = process;
      const answer = new Promise<HostedServer[]>((resolve, reject) => {
        process.on("message", (message: FromChild) => {
          if (message.type === "ready") resolve(message.hosted);
          else if (message.type === "failed") reject(new GymError(message.code as ErrorCode, message.message, { hint: message.hint }));
        });
        process.once("error", (cause) =>
          reject(new GymError("NG_ERR_SERVER_START", `${main.name} cannot be started: ${cause.message}`, { cause })),
        );
        death.promise.then(reject);
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      });
      // A child may fail while its sockets are still being handed over; whoever awaits the answer learns of it.
      answer.catch(() => {});
      await handOver(process);
      return answer;
    },
    async stop(graceMs) {
      stopping = true;
      const running = child;
      if (running === undefined || running.exitCode !== null || running.signalCode !== null) return [];
      let killed = false;
      const timer = setTimeout(() => {
        killed = true;
        running.kill("SIGKILL");
      }, graceMs + KILL_AFTER_MS);
      const message: StopMessage = { type: "stop", graceMs };
      if (running.connected) running.send(message, () => {});
      else running.kill("SIGTERM");
      await exited.promise;
      clearTimeout(timer);
      return killed ? [main.name] : [];
    },
  };
}
