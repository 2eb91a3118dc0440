/**
 * Where a server keeps the state of its sessions: in memory, bounded in number and in idle time, one store for each kind of state.
 *
 * A state that is gone is never answered with a fresh one, because a verifier would score it: whoever asks for the state of a session that was
 * closed, was idle for too long or was lost with its process gets a 410. The store tells such sessions by a mark that it leaves in their cookie, and
 * by the ids that it ended last.
 *
 * A full store first gives up the session that was idle longest, if that is longer than `reclaimAfterMs`: most likely its caller does not close
 * sessions. Where all are in use it refuses the new one, which costs its caller a wait; giving up one in use would cost a rollout.
 */
import { GymError, messageOf } from "../errors/index.ts";
import { HttpError } from "./error-reply.ts";
import type { Session } from "./session.ts";

/** Sessions of one store that have a state at once. */
export const MAX_SESSIONS = 100_000;
/** A state lives this long after its last use: longer than an agent may work between seeding and verification. */
export const SESSION_TTL_MS = 24 * 3_600_000;
/** A full store gives up sessions idle for longer: no more than a caller keeps trying while it is refused. */
const RECLAIM_AFTER_MS = 600_000;
const MAX_TIMER_MS = 2 ** 31 - 1;

export type SessionEnd = "expired" | "reclaimed" | "stopped";

export interface SessionStoreOptions<T> {
  /** Names the store in errors and in cookies; two stores of one server have two names. */
  name: string;
  maxSessions?: number;
  ttlMs?: number;
  reclaimAfterMs?: number;
  /** Milliseconds of a clock that never goes back. */
  now?: () => number;
  /** Frees what a state holds when the store ends it; `delete` leaves that to its caller. Its errors go to `log`. */
  onEvict?: (state: T, id: string, why: SessionEnd) => unknown;
  log?: (line: string) => void;
}

/** A handler's session, or an id of the server's own. Only a session outlives the memory of the store: its cookie says that there was a state. */
export type SessionKey = string | Pick<Session, "id" | "get" | "set">;

/** Each use of a state begins its time to live anew. All operations take constant time. */
export interface SessionStore<T> extends Disposable {
  readonly size: number;
  /** Undefined for a session that never had a state. @throws HttpError 410 where it had one. */
  get(key: SessionKey): T | undefined;
  /** What a verifier asks for. @throws HttpError 410 where there is no state, whatever the reason. */
  require(key: SessionKey): T;
  /** Gives a session its state, or another one. @throws HttpError 410 for a session that ended; GymError NG_ERR_OVERLOADED where the store is full. */
  set(key: SessionKey, state: T): void;
  /** `get`, with `make` for a session that never had a state. @throws as `get` and `set`. */
  getOrCreate(key: SessionKey, make: () => T): T;
  /** Ends a session; any that the store does not know will do. Returns what its state was. */
  delete(key: SessionKey): T | undefined;
}

interface Entry<T> {
  state: T;
  usedAt: number;
}

export function createSessionStore<T>(options: SessionStoreOptions<T>): SessionStore<T> {
  const { name, maxSessions = MAX_SESSIONS, ttlMs = SESSION_TTL_MS, now = () => performance.now() } = options;
  const reclaimAfterMs = Math.min(options.reclaimAfterMs ?? RECLAIM_AFTER_MS, ttlMs);
  const mark = `state ${name}`;
  /** Longest idle first: a use moves a session to the end. */
  const entries = new Map<string, Entry<T>>();
  /** Sessions that ended last, as many as may live. */
  const ended = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  function evict(id: string, { state }: Entry<T>, why: SessionEnd): void {
    end(id);
    const failed = (error: unknown): void => options.log?.(`${name}: a session that ended (${why}) was not freed: ${messageOf(error)}`);
    try {
      const freed = options.onEvict?.(state, id, why);
      if (freed instanceof Promise) freed.catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  function end(id: string): void {
    entries.delete(id);
    ended.add(id);
    if (ended.size > maxSessions) for (const oldest of ended.values()) return void ended.delete(oldest);
  }

  /** Ends sessions from the longest idle on, while they are idle for at least `idleMs`. */
  function sweep(at: number, idleMs: number, why: SessionEnd, most = Number.POSITIVE_INFINITY): void {
    let left = most;
    for (const [id, entry] of entries) {
      if (left-- <= 0 || at - entry.usedAt < idleMs) return;
      evict(id, entry, why);
    }
  }

  /** One timer for the whole store, so that a server without calls frees its sessions too. */
  function watch(): void {
    if (timer !== undefined) return;
    for (const { usedAt } of entries.values()) {
      const wait = Math.min(Math.max(usedAt + ttlMs - now(), 1), MAX_TIMER_MS);
      timer = setTimeout(() => {
        timer = undefined;
        sweep(now(), ttlMs, "expired");
        watch();
      }, wait).unref();
      return;
    }
  }

  /** The entry of a session, used now; undefined for one that never had a state. @throws HttpError 410 for one that had. */
  function use(key: SessionKey): Entry<T> | undefined {
    const id = idOf(key);
    const at = now();
    sweep(at, ttlMs, "expired");
    const entry = entries.get(id);
    if (entry === undefined) {
      if (ended.has(id)) throw gone("session_expired", "this session was closed, or idle for too long");
      if (typeof key !== "string" && key.get(mark) !== undefined)
        throw gone("session_lost", "this session began before the server's last start");
      return undefined;
    }
    entry.usedAt = at;
    entries.delete(id);
    entries.set(id, entry);
    return entry;
  }

  function gone(kind: "session_expired" | "session_lost", what: string): HttpError {
    return new HttpError(410, `${name}: ${what}; its state is gone, so the rollout has to begin anew`, kind);
  }

  function open(key: SessionKey, make: () => T): T {
    if (entries.size >= maxSessions) sweep(now(), reclaimAfterMs, "reclaimed", 1);
    if (entries.size >= maxSessions)
      throw new GymError("NG_ERR_OVERLOADED", `${name}: all of its ${maxSessions} sessions (max_sessions) are in use`);
    const state = make();
    entries.set(idOf(key), { state, usedAt: now() });
    if (typeof key !== "string") key.set(mark, 1);
    watch();
    return state;
  }

  return {
    get size() {
      return entries.size;
    },
    get: (key) => use(key)?.state,
    require(key) {
      const entry = use(key);
      if (entry === undefined) throw gone("session_lost", "this session was never seeded here");
      return entry.state;
    },
    set(key, state) {
      const entry = use(key);
      if (entry === undefined) open(key, () => state);
      else entry.state = state;
    },
    getOrCreate(key, make) {
      const entry = use(key);
      return entry === undefined ? open(key, make) : entry.state;
    },
    delete(key) {
      const id = idOf(key);
      const entry = entries.get(id);
      if (entry !== undefined) end(id);
      return entry?.state;
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      timer = undefined;
      sweep(now(), Number.NEGATIVE_INFINITY, "stopped");
    },
  };
}

function idOf(key: SessionKey): string {
  return typeof key === "string" ? key : key.id;
}
