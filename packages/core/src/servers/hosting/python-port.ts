/**
 * The port of a Python server. It binds its port itself, so that the launcher must let go of it before; until the server has it, launchers of this
 * machine leave it alone: each holds a name in the abstract socket namespace for it, and whoever looks for a free port asks for that name. The
 * namespace is that of the ports (one for each network namespace), and a name goes with its holder. Linux only: elsewhere the moment between letting
 * go and binding stays open.
 */
import { createConnection, createServer, type Server } from "node:net";

const LINUX = process.platform === "linux";
const nameOf = (port: number): string => `\0ng-gym/port/${port}`;

export interface KeptPort {
  /** Resolves when the port is free for the server and kept from other launchers until `run` is aborted. */
  letGo(run: AbortSignal): Promise<void>;
}

/** Keeps a port that the launcher has bound. */
export function keepPort(port: number, bound: Server | undefined): KeptPort {
  let reserved = false;
  return {
    async letGo(run) {
      if (!reserved) {
        reserved = true;
        const holder = await holdName(port);
        run.addEventListener("abort", () => holder?.close(), { once: true });
        if (run.aborted) holder?.close();
      }
      if (bound?.listening) await new Promise<void>((resolve) => void bound.close(() => resolve()));
    },
  };
}

/** Undefined where the name cannot be had: the port is then only ours by chance. */
export async function holdName(port: number): Promise<Server | undefined> {
  if (!LINUX) return undefined;
  const holder = createServer((socket) => socket.destroy());
  return new Promise((resolve) => {
    holder.once("error", () => resolve(undefined));
    holder.listen(nameOf(port), () => {
      holder.unref();
      resolve(holder);
    });
  });
}

/** Does a launcher keep this port for a server that may not have bound it yet? */
export async function isKept(port: number): Promise<boolean> {
  if (!LINUX) return false;
  return new Promise((resolve) => {
    const socket = createConnection(nameOf(port));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
