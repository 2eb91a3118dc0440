/**
 * The other end of `process-host.ts`: a server program under a launcher. Everything it needs comes on the channel, so that a child does not load
 * what reads configurations.
 */
import type { Server } from "node:net";
import { GymError, messageOf } from "../../errors/index.ts";
import type { HostStatus } from "../../head/index.ts";
import { unknownServer } from "../../head/index.ts";
import type { ServerAddress } from "../../http/index.ts";
import type { GlobalConfig, GymServerClass } from "../gym-server.ts";
import { type Listener, type ListenTarget, listen } from "../listener.ts";
import { createAssembly } from "./assembly.ts";
import type { FromChild, StartMessage, ToChild } from "./child-protocol.ts";
import { markedLine } from "./log-lines.ts";
import type { InstancePlan } from "./plan.ts";
import { bodyLimit } from "./shared-host.ts";

export interface Program {
  hosted: Awaited<ReturnType<ReturnType<typeof createAssembly>["add"]>>[];
  listeners: Listener[];
  stop(graceMs: number): Promise<void>;
  status(): HostStatus;
}

export interface ProgramOptions {
  start: Omit<StartMessage, "type" | "settings" | "logMark">;
  global: GlobalConfig;
  targets: (plan: InstancePlan) => Promise<ListenTarget[]>;
  /** Takes each line of the log, a JSON object. */
  writeLog: (line: string) => void;
}

/** Builds the instances and listens. `Class` is the first one's where the program is its own. */
export async function startProgram(
  Class: GymServerClass | undefined,
  { start, global, targets, writeLog }: ProgramOptions,
): Promise<Program> {
  const addressOf = (name: string): ServerAddress => start.addresses[name] ?? unknownServer(name, Object.keys(start.addresses));
  const assembly = createAssembly({ ...start, global, addressOf, writeLog });
  const hosted = [];
  for (const [index, plan] of start.plans.entries()) hosted.push(await assembly.add(plan, index === 0 ? Class : undefined));
  await assembly.start();
  const listeners: Listener[] = [];
  for (const plan of start.plans) {
    const endpoint = assembly.endpoints.get(plan.name);
    if (endpoint) for (const target of await targets(plan)) listeners.push(await listen(endpoint, target, bodyLimit(plan)));
  }
  return {
    hosted,
    listeners,
    async stop(graceMs) {
      await Promise.all(listeners.map((listener) => listener.close(graceMs)));
      await assembly.stop();
    },
    status: () => assembly.status(Class === undefined ? "shared" : "process"),
  };
}

/**
 * SIGTERM may have gone to all processes of a run at once (a cluster's cancel, a service manager): the launcher then says whose turn it is, within its
 * grace period. A launcher that says nothing is waited for this long.
 */
const TURN_MS = 6_000;

/** Runs until told to stop, or until the launcher is gone. */
export function runChild(Class?: GymServerClass): void {
  const tell = (message: FromChild): void => void process.send?.(message);
  const ports = new Map<string, PromiseWithResolvers<Server>>();
  const port = (name: string, index: number): PromiseWithResolvers<Server> => {
    const key = `${index} ${name}`;
    const known = ports.get(key) ?? Promise.withResolvers<Server>();
    ports.set(key, known);
    return known;
  };
  const handedOver = (plan: InstancePlan): Promise<ListenTarget[]> =>
    Promise.all((plan.copyPorts === undefined ? [0] : [0, 1]).map(async (index) => ({ bound: await port(plan.name, index).promise })));
  let program: Program | undefined;

  async function leave(graceMs: number): Promise<never> {
    // Nothing may keep a child: neither a server that does not stop nor an unread pipe.
    setTimeout(() => process.exit(1), graceMs + 1_000).unref();
    await program?.stop(graceMs);
    process.exit(0);
  }

  // The terminal's Ctrl-C reaches the whole group; the launcher decides when a child leaves.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => void setTimeout(() => void leave(0), process.connected ? TURN_MS : 0));
  // The launcher is gone, however it went.
  process.on("disconnect", () => void leave(0));
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

  process.on("message", (message: ToChild, handle: unknown) => {
    if (message.type === "port") port(message.name, message.index).resolve(handle as Server);
    else if (message.type === "stop") void leave(message.graceMs);
    else if (message.type === "status") answerStatus(message.id);
    else void start(message);
  });

  /** A child that is still starting has nothing to tell: the launcher's question runs out. */
  function answerStatus(id: number): void {
    if (program !== undefined) tell({ type: "status", id, status: program.status() });
  }

  async function start(message: StartMessage): Promise<void> {
    try {
      const global: GlobalConfig = { get: (key) => message.settings[key] };
      const writeLog = (line: string): void => void process.stderr.write(markedLine(message.logMark, line));
      const targets = message.bindsItself ? async (plan: InstancePlan) => ownTargets(plan, message.copy) : handedOver;
      program = await startProgram(Class, { start: message, global, targets, writeLog });
      tell({ type: "ready", hosted: program.hosted });
    } catch (error) {
      const known = error instanceof GymError;
      tell({
        type: "failed",
        code: known ? error.code : "NG_ERR_SERVER_START",
        message: known ? error.message : `${message.plans[0]?.name}: ${messageOf(error)}`,
        hint: known ? error.hint : undefined,
      });
      process.exitCode = 1;
    }
  }
}

/** Where an instance listens: the port that all copies share, then the one of this copy. */
function ownTargets({ host, port, copyPorts }: InstancePlan, copy = 0): ListenTarget[] {
  const own = copyPorts?.[copy];
  return own === undefined
    ? [{ host, port }]
    : [
        { host, port, reusePort: true },
        { host, port: own },
      ];
}
