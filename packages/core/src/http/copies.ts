/**
 * Servers that run in several processes: which copy a call goes to. A session stays with the copy that opened it, whose number stands in front of the
 * session's cookie; any other call goes to the copy with the fewest of ours in flight. A copy that could not be reached is left out for a while: an
 * idle one looks tempting because it is dead.
 */
import { classifyTransportError } from "./classify.ts";
import type { CookieJar } from "./cookies.ts";

/** A session cookie is named `<Class>___<instance>`. */
const OWNER_MARK = "___";
/** Between the number of a copy and the rest of the value; no cookie needs quotes for it. */
const COPY_MARK = "~";
/** A copy that could not be reached gets no new calls for so long. */
const LEFT_OUT_MS = 5_000;

/** The value of a session that a copy opened. */
export function withCopy(copy: number, value: string): string {
  return `${copy}${COPY_MARK}${value}`;
}

export function withoutCopy(value: string): string {
  return value.slice(value.indexOf(COPY_MARK) + 1);
}

/** The number in front of a session's value, undefined where it has none. Not checked: only its server knows the signature. */
export function copyIn(value: string): number | undefined {
  const end = value.indexOf(COPY_MARK);
  return end > 0 && end < 4 && /^\d+$/.test(value.slice(0, end)) ? Number(value.slice(0, end)) : undefined;
}

export interface CopyChoice {
  /** Runs `send` with the address of a copy. Each try of a call chooses anew. */
  use<T>(call: { server: string; copies: readonly string[]; jar: CookieJar | undefined }, send: (url: string) => Promise<T>): Promise<T>;
}

interface CopyLoad {
  inFlight: number;
  leftOutUntil: number;
}

/** Counts of one client. */
export function createCopyChoice(now: () => number = () => performance.now()): CopyChoice {
  const servers = new Map<string, CopyLoad[]>();
  let turn = 0;

  function loadsOf(server: string, count: number): CopyLoad[] {
    let loads = servers.get(server);
    if (loads === undefined) {
      loads = Array.from({ length: count }, () => ({ inFlight: 0, leftOutUntil: 0 }));
      servers.set(server, loads);
    }
    return loads;
  }

  /** Equals take turns, so that many servers with few calls each are spread too. */
  function quietest(loads: readonly CopyLoad[]): number {
    const at = now();
    const first = turn++ % loads.length;
    let best = first;
    for (let step = 1; step < loads.length; step++) {
      const index = (first + step) % loads.length;
      if (costOf(loads[index] as CopyLoad, at) < costOf(loads[best] as CopyLoad, at)) best = index;
    }
    return best;
  }

  return {
    async use({ server, copies, jar }, send) {
      const loads = loadsOf(server, copies.length);
      const index = copyOfSession(server, jar, copies.length) ?? quietest(loads);
      const load = loads[index] as CopyLoad;
      load.inFlight++;
      try {
        const reply = await send(copies[index] as string);
        load.leftOutUntil = 0;
        return reply;
      } catch (error) {
        if (classifyTransportError(error) === "unreachable") load.leftOutUntil = now() + LEFT_OUT_MS;
        throw error;
      } finally {
        load.inFlight--;
      }
    },
  };
}

/** Those left out come after all others. */
function costOf({ inFlight, leftOutUntil }: CopyLoad, at: number): number {
  return leftOutUntil > at ? inFlight + Number.MAX_SAFE_INTEGER / 2 : inFlight;
}

function copyOfSession(server: string, jar: CookieJar | undefined, count: number): number | undefined {
  if (jar === undefined || jar.size === 0) return undefined;
  const name = jar.names().find((one) => one.endsWith(OWNER_MARK + server));
  const copy = name === undefined ? undefined : copyIn(jar.get(name) ?? "");
  return copy !== undefined && copy < count ? copy : undefined;
}
