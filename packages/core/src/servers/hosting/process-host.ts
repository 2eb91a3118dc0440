/** A child process that runs instances of ours. The launcher binds their ports and hands the sockets over. */
import { type ChildProcess, fork } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import type { Server } from "node:net";
import { dirname } from "node:path";
import { type ErrorCode, GymError } from "../../errors/index.ts";
import { cannotStart, endedByItself } from "./child-errors.ts";
import { LAST_LINES, type LineMask, readChildLines } from "./child-lines.ts";
import { type FromChild, HOSTED_VARIABLE, type PortMessage, type StartMessage, type StopMessage } from "./child-protocol.ts";
import type { OnHostEvent } from "./events.ts";
import type { Host, HostedServer } from "./host.ts";
import { childLogEvent } from "./log-lines.ts";
import type { InstancePlan } from "./plan.ts";
import type { HostProgram } from "./programs.ts";
import type { HostSockets } from "./sockets.ts";
import { createStatusChannel } from "./status-channel.ts";

/** How long a child may take beyond the grace period before it is killed. */
const KILL_AFTER_MS = 1_000;

export interface ProcessHostOptions {
  plans: readonly InstancePlan[];
  /** Undefined: the child binds its ports itself. */
  sockets: HostSockets | undefined;
  start: Omit<StartMessage, "type" | "plans">;
  program: HostProgram;
  mask: LineMask;
  onEvent: OnHostEvent;
}

/** A child uses the compile cache of its launcher, if that has one. */
function compileCache(): NodeJS.ProcessEnv {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}

export function createProcessHost(options: ProcessHostOptions): Host {
  const { plans, sockets, program, onEvent } = options;
  const { label } = program;
  const lastLines: string[] = [];
  const death = Promise.withResolvers<GymError>();
  const exited = Promise.withResolvers<void>();
  const statuses = createStatusChannel();
  let child: ChildProcess | undefined;
  let stopping = false;

  function watchLines(process: ChildProcess): void {
    for (const stream of ["stdout", "stderr"] as const) {
      const input = process[stream];
      if (!input) continue;
      readChildLines(input, (line) => {
        const told = childLogEvent(label, line, { mark: options.start.logMark, stream });
        // A line of the log is masked by who wrote it.
        const event = told.entry === undefined ? { ...told, line: options.mask(told.line) } : told;
        lastLines.push(event.line);
        if (lastLines.length > LAST_LINES) lastLines.shift();
        onEvent(event);
      });
    }
  }

  function spawn(): ChildProcess {
    const process = fork(program.file, [], {
      cwd: program.cwd,
      env: { ...program.env, ...compileCache(), [HOSTED_VARIABLE]: "1" },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    watchLines(process);
    // "close" comes after the last line of the child's output was read.
    process.once("close", (exitCode, signal) => {
      exited.resolve();
      if (stopping) return;
      onEvent({ type: "died", server: label, exitCode, signal, lastLines });
      death.resolve(endedByItself(label, process.pid, { exitCode, signal, lastLines }));
    });
    return process;
  }

  /** Hands the bound sockets over; our own copies are closed, the child's keep listening. */
  async function handOver(process: ChildProcess): Promise<void> {
    const send = (message: StartMessage | PortMessage, handle?: Server): Promise<void> =>
      new Promise((resolve) => process.send(message, handle, {}, () => resolve()));
    await send({ type: "start", plans: [...plans], ...options.start, bindsItself: sockets === undefined });
    for (const plan of plans) {
      for (const [index, server] of (sockets?.get(plan.name) ?? []).entries()) {
        await send({ type: "port", name: plan.name, index }, server);
        server.close();
      }
    }
  }

  return {
    names: plans.map((plan) => plan.name),
    hosting: program.hosting,
    get pid() {
      return child?.pid ?? 0;
    },
    died: death.promise,
    async start(signal) {
      try {
        child = spawn();
      } catch (cause) {
        throw cannotStart(label, program.env, cause);
      }
      const process = child;
      const answer = new Promise<HostedServer[]>((resolve, reject) => {
        process.on("message", (message: FromChild) => {
          if (message.type === "status") statuses.answered(message.id, message.status);
          else if (message.type === "ready") resolve(message.hosted);
          else if (message.type === "failed") reject(new GymError(message.code as ErrorCode, message.message, { hint: message.hint }));
        });
        process.once("error", (cause) =>
          reject(new GymError("NG_ERR_SERVER_START", `${label} cannot be started: ${cause.message}`, { cause })),
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
      return killed ? [label] : [];
    },
    async status() {
      const told = await statuses.ask((message) => child?.connected === true && child.send(message, () => {}));
      return told ?? { pid: child?.pid ?? 0, hosting: program.hosting, servers: [], targets: {}, silent: true };
    },
  };
}
