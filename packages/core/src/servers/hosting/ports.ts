/**
 * Ports are bound before anything else happens, so that an address that is announced is an address that is had: nobody can take it in between. The
 * bound server is handed to whoever serves there.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { AddressInfo, Server } from "node:net";
import { GymError } from "../../errors/index.ts";
import { bind } from "../listener.ts";
import { holdName, isKept } from "./python-port.ts";

export interface PortWish {
  /** Named in errors. */
  server: string;
  host: string;
  /** A fixed port, 0 for any that the system gives, or null for one of the range. */
  port: number | null;
}

export interface PortRange {
  low: number;
  high: number;
}

/** Ports that `fetch` and browsers never call ("bad port", WHATWG Fetch); of that list only this one lies above 10,000. */
const REFUSED_BY_FETCH: ReadonlySet<number> = new Set([10_080]);

/** Tries in a range before it counts as exhausted: each free port is met in order, from a random start. */
export async function bindPort(wish: PortWish, range: PortRange, taken: ReadonlySet<number>): Promise<{ server: Server; port: number }> {
  if (wish.port !== null) {
    try {
      const server = await hold({ host: wish.host, port: wish.port });
      return { server, port: (server.address() as AddressInfo).port };
    } catch (error) {
      throw portError(wish, error as NodeJS.ErrnoException);
    }
  }
  const size = range.high - range.low + 1;
  const start = Math.floor(Math.random() * size);
  for (let i = 0; i < size; i++) {
    const port = range.low + ((start + i) % size);
    if (taken.has(port) || REFUSED_BY_FETCH.has(port) || (await isKept(port))) continue;
    try {
      const server = await hold({ host: wish.host, port });
      // Kept and let go of in the meantime.
      if (!(await isKept(port))) return { server, port };
      server.close();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw portError(wish, error as NodeJS.ErrnoException);
    }
  }
  throw new GymError(
    "NG_ERR_PORT_IN_USE",
    `${wish.server}: no free port between port_range_low ${range.low} and port_range_high ${range.high}`,
    {
      hint: "Widen the range, or stop what holds its ports.",
    },
  );
}

/** Binds a port. Who connects before it is served is refused: nobody would ever answer. A reset leaves nothing that keeps the port busy. */
async function hold(address: Parameters<typeof bind>[0]): Promise<Server> {
  const server = await bind(address);
  server.on("connection", (socket) => {
    if (server.listenerCount("connection") > 1) return;
    socket.on("error", () => {});
    socket.resetAndDestroy();
  });
  return server;
}

/** What copies of an instance need to know of its ports. */
export interface SharedPort {
  name: string;
  host: string;
  port: number;
  copies: number;
  copyPorts?: readonly number[];
}

/**
 * Several sockets at the port that `first` has bound for itself, which proves that it is free; `first` is closed. In the moment between, the port's name
 * keeps other launchers from doing the same. @throws GymError NG_ERR_PORT_IN_USE.
 */
export async function bindTogether(first: Server, { name, host, port, copies }: SharedPort): Promise<Server[]> {
  const wish = { server: name, host, port };
  const bound: Server[] = [];
  const holder = await holdName(port);
  try {
    if (holder === undefined && (await isKept(port))) throw Object.assign(new Error("another launcher has it"), { code: "EADDRINUSE" });
    await new Promise<void>((resolve) => void first.close(() => resolve()));
    for (let copy = 0; copy < copies; copy++) bound.push(await hold({ host, port, reusePort: true }));
    return bound;
  } catch (error) {
    for (const server of bound) server.close();
    throw portError(wish, error as NodeJS.ErrnoException);
  } finally {
    holder?.close();
  }
}

function portError(wish: PortWish, error: NodeJS.ErrnoException): GymError {
  const where = `${wish.host}:${wish.port}`;
  if (error.code !== "EADDRINUSE")
    return new GymError("NG_ERR_PORT_IN_USE", `${wish.server} cannot listen on ${where}: ${error.message}`, { cause: error });
  const owner = portOwner(wish.port as number);
  return new GymError("NG_ERR_PORT_IN_USE", `${wish.server} cannot listen on ${where}: the port is taken${owner ? ` by ${owner}` : ""}`, {
    hint: "Stop that process, or give the server another port (a port of null takes a free one).",
    cause: error,
  });
}

/** `process 123 (node app.ts)` for the listener of a TCP port, where /proc tells. */
export function portOwner(port: number): string | undefined {
  try {
    const inodes = new Set<string>();
    for (const table of ["/proc/net/tcp", "/proc/net/tcp6"]) {
      for (const line of readFileSync(table, "utf8").split("\n").slice(1)) {
        const fields = line.trim().split(/\s+/);
        if (fields[3] === "0A" && Number.parseInt(fields[1]?.split(":")[1] ?? "", 16) === port) inodes.add(`socket:[${fields[9]}]`);
      }
    }
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      if (holdsOne(pid, inodes))
        return `process ${pid} (${readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim().slice(0, 120)})`;
    }
  } catch {
    // Not Linux, or not ours to look at: the message does without the owner.
  }
  return undefined;
}

function holdsOne(pid: string, inodes: ReadonlySet<string>): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        return inodes.has(readlinkSync(`/proc/${pid}/fd/${fd}`));
      } catch {
        return false;
      }
    });
  } catch {
    return false;
  }
}
