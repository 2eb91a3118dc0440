/**
 * The session of one caller with one server: a signed cookie named `<Class>___<instance>` as the reference names it. The value is opaque to callers:
 * base64url JSON and an HMAC-SHA256 over it with a secret that is random per run and shared by the copies of the instance. Where there are several,
 * the number of the one that opened the session stands in front, signed like the rest.
 */
import { createHmac, createSecretKey, randomUUID, timingSafeEqual } from "node:crypto";
import { copyIn, withCopy, withoutCopy } from "../http/index.ts";

/** 14 days, as the reference. */
const MAX_AGE_SECONDS = 1_209_600;

export class Session {
  readonly id: string;
  /** False where the caller brought a valid cookie. */
  readonly isNew: boolean;
  /** Undefined while there is nothing in it, which is usual. */
  #data: Record<string, unknown> | undefined;
  #changed: boolean;

  constructor(id: string, data: Record<string, unknown>, isNew: boolean) {
    this.id = id;
    this.isNew = isNew;
    for (const key of Object.keys(data)) this.#put(key, data[key]);
    this.#changed = isNew;
  }

  get changed(): boolean {
    return this.#changed;
  }

  /** What travels in the cookie beside the id. Small: it is sent with each call. */
  get(key: string): unknown {
    return this.#data?.[key];
  }

  set(key: string, value: unknown): void {
    this.#put(key, value);
    this.#changed = true;
  }

  #put(key: string, value: unknown): void {
    this.#data ??= Object.create(null) as Record<string, unknown>;
    this.#data[key] = value;
  }

  payload(): Record<string, unknown> {
    return { ...this.#data, session_id: this.id };
  }
}

/** A UUID as one piece: Node's own stays a chain of some twenty pieces for as long as it is kept. */
function newId(): string {
  return Buffer.from(randomUUID(), "latin1").toString("latin1");
}

export interface SessionSigner {
  readonly cookieName: string;
  /** The session of a cookie value; a bad, foreign or missing one gives a new session. */
  open(value: string | undefined): Session;
  /** The copy that opened the session of a cookie value; undefined for a value that is none of ours, or of a server without copies. */
  copyOf(value: string | undefined): number | undefined;
  /** The `Set-Cookie` line of a session. */
  line(session: Session, received: string | undefined): string;
}

/** Cookie values whose signature was found right: a session sends the same one with each call. */
const MAX_KNOWN_VALUES = 4_096;

/** `copy`: the number of this process among those that run the instance. */
export function createSessionSigner(cookieName: string, secret: string, copy?: number): SessionSigner {
  const key = createSecretKey(Buffer.from(secret));
  const sign = (payload: string): string => createHmac("sha256", key).update(`${cookieName}.${payload}`).digest("base64url");

  const known = new Set<string>();

  /** What is signed in a value, undefined where the signature is wrong. */
  function signedIn(value: string): string | undefined {
    const dot = value.indexOf(".");
    if (dot <= 0) return undefined;
    const payload = value.slice(0, dot);
    if (!known.has(value)) {
      const expected = Buffer.from(sign(payload));
      const given = Buffer.from(value.slice(dot + 1));
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
      if (known.size >= MAX_KNOWN_VALUES) known.clear();
      known.add(value);
    }
    return payload;
  }

  function verified(value: string): Record<string, unknown> | undefined {
    const payload = signedIn(value);
    if (payload === undefined) return undefined;
    const content: unknown = JSON.parse(Buffer.from(withoutCopy(payload), "base64url").toString("utf8"));
    return typeof content === "object" && content !== null ? (content as Record<string, unknown>) : undefined;
  }

  function payloadOf(session: Session): string {
    const payload = Buffer.from(JSON.stringify(session.payload())).toString("base64url");
    return copy === undefined ? payload : withCopy(copy, payload);
  }

  return {
    cookieName,
    open(value) {
      const payload = value === undefined ? undefined : verified(value);
      if (payload === undefined || typeof payload.session_id !== "string") return new Session(newId(), {}, true);
      const { session_id, ...data } = payload;
      return new Session(session_id, data, false);
    },
    copyOf(value) {
      const payload = value === undefined || copyIn(value) === undefined ? undefined : signedIn(value);
      return payload === undefined ? undefined : copyIn(payload);
    },
    line(session, received) {
      const payload = session.changed || received === undefined ? payloadOf(session) : undefined;
      const value = payload === undefined ? received : `${payload}.${sign(payload)}`;
      return `${cookieName}=${value}; path=/; Max-Age=${MAX_AGE_SECONDS}; httponly; samesite=lax`;
    },
  };
}
