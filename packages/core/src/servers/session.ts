/**
 * The session of one caller with one server: a signed cookie named `<Class>___<instance>` as the reference names it. The value is opaque to callers:
 * base64url JSON and an HMAC-SHA256 over it with a secret that is random per run and shared by the workers of the instance.
 */
import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";

/** 14 days, as the reference. */
const MAX_AGE_SECONDS = 1_209_600;

export class Session {
  readonly id: string;
  /** False where the caller brought a valid cookie. */
  readonly isNew: boolean;
  readonly #data: Record<string, unknown>;
  #changed: boolean;

  constructor(id: string, data: Record<string, unknown>, isNew: boolean) {
    this.id = id;
    this.isNew = isNew;
    this.#data = Object.assign(Object.create(null), data);
    this.#changed = isNew;
  }

  get changed(): boolean {
    return this.#changed;
  }

  /** What travels in the cookie beside the id. Small: it is sent with each call. */
  get(key: string): unknown {
    return this.#data[key];
  }

  set(key: string, value: unknown): void {
    this.#data[key] = value;
    this.#changed = true;
  }

  payload(): Record<string, unknown> {
    return { ...this.#data, session_id: this.id };
  }
}

export interface SessionSigner {
  readonly cookieName: string;
  /** The session of a cookie value; a bad, foreign or missing one gives a new session. */
  open(value: string | undefined): Session;
  /** The `Set-Cookie` line of a session. */
  line(session: Session, received: string | undefined): string;
}

/** Cookie values whose signature was found right: a session sends the same one with each call. */
const MAX_KNOWN_VALUES = 4_096;

export function createSessionSigner(cookieName: string, secret: string): SessionSigner {
  const sign = (payload: string): string => createHmac("sha256", secret).update(`${cookieName}.${payload}`).digest("base64url");

  const known = new Set<string>();

  function verified(value: string): Record<string, unknown> | undefined {
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
    const content: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
    return typeof content === "object" && content !== null ? (content as Record<string, unknown>) : undefined;
  }

  return {
    cookieName,
    open(value) {
      const payload = value === undefined ? undefined : verified(value);
      if (payload === undefined || typeof payload.session_id !== "string") return new Session(randomUUID(), {}, true);
      const { session_id, ...data } = payload;
      return new Session(session_id, data, false);
    },
    line(session, received) {
      const payload =
        session.changed || received === undefined ? Buffer.from(JSON.stringify(session.payload())).toString("base64url") : undefined;
      const value = payload === undefined ? received : `${payload}.${sign(payload)}`;
      return `${cookieName}=${value}; path=/; Max-Age=${MAX_AGE_SECONDS}; httponly; samesite=lax`;
    },
  };
}
