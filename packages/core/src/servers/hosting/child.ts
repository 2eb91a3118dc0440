/**
 * The other end of `process-host.ts`: a server program under a launcher. Everything it needs comes on the channel, so that a child does not load
 * what reads configurations.
 */
import type { Server } from "node:net";
import { GymError, messageOf } from "../../errors/index.ts";
import { unknownServer } from "../../head/index.ts";
import type { ServerAddress } from "../../http/index.ts";
import type { GlobalConfig, GymServerClass } from "../gym-server.ts";
import { type Listener, type ListenTarget, listen } from "../listener.ts";
import { createAssembly } from "./assembly.ts";
import type { FromChild, StartMessage, ToChild } from "./child-protocol.ts";
import type { InstancePlan } from "./plan.ts";
import { bodyLimit } from "./shared-host.ts";

export interface Program {
  hosted: Awaited<ReturnType<ReturnType<typeof createAssembly>["add"]>>[];
  listeners: Listener[];
  stop(graceMs: number): Promise<void>;
}

export interface ProgramOptions {
  start: Omit<StartMessage, "type" | "settings">;
  global: GlobalConfig;
  target: (plan: InstancePlan) => Promise<ListenTarget>;
}

/** Builds the instance and the environment servers in front of it, and listens. */
export async function startProgram(Class: GymServerClass, { start, global, target }: ProgramOptions): Promise<Program> {
  const addressOf = (name: string): ServerAddress => start.addresses[name] ?? unknownServer(name, Object.keys(start.addresses));
  const log = (server: string, line: string): void =>
    void process.stderr.write(`${server === start.plans[0]?.name ? "" : `[${server}] `}${line}\n`);
  const assembly = createAssembly({ global, addressOf, runSecret: start.runSecret, log });
  const hosted = [];
  for (const [index, plan] of start.plans.entries()) hosted.push(await assembly.add(plan, index === 0 ? Class : undefined));
  await assembly.start();
  const listeners: Listener[] = [];
  for (const plan of start.plans) {
    const endpoint = assembly.endpoints.get(plan.name);
    if (endpoint) listeners.push(await listen(endpoint, await target(plan), bodyLimit(plan)));
  }
  return {
    hosted,
    listeners,
    async stop(graceMs) {
      await Promise.all(listeners.map((listener) => listener.close(graceMs)));
      await assembly.stop();
    },
  };
}

/**
 * SIGTERM may have gone to all processes of a run at once (a cluster's cancel, a service manager): the launcher then says whose turn it is, within its
 * grace period. A launcher that says nothing is waited for this long.
 */
const TURN_MS = 6_000;

/** Runs until told to stop, or until the launcher is gone. */
export function runChild(Class: GymServerClass): void {
  const tell = (message: FromChild): void => void process.send?.(message);
  const ports = new Map<string, PromiseWithResolvers<Server>>();
  const port = (name: string): PromiseWithResolvers<Server> => {
    const known = ports.get(name) ?? Promise.withResolvers<Server>();
    ports.set(name, known);
    return known;
  };
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
    if (message.type === "port") port(message.name).resolve(handle as Server);
    else if (message.type === "stop") void leave(message.graceMs);
    else void start(message);
  });

  async function start(message: StartMessage): Promise<void> {
    try {
      const global: GlobalConfig = { get: (key) => message.settings[key] };
      program = await startProgram(Class, { start: message, global, target: async (plan) => ({ bound: await port(plan.name).promise }) });
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
