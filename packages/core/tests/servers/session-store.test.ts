/** State of sessions: bounded, and never answered with a fresh one once it is gone. */
import { plainResponse } from "@ng-gym/testing";
import { describe, expect, test } from "vitest";
import { createServerClient, type Endpoint, type EndpointReply } from "../../src/http/index.ts";
import { createEndpoint } from "../../src/servers/endpoint.ts";
import {
  createSessionStore,
  type RequestContext,
  ResourcesServer,
  type SessionServerConfig,
  type SessionStore,
  type SessionStoreOptions,
  sessionLimits,
  sessionServerConfig,
  type Tool,
  tool,
} from "../../src/servers/index.ts";

/** A store whose clock the test moves, and what it gave up. */
function storeWithClock(options: Partial<SessionStoreOptions<string>> = {}) {
  let at = 0;
  const ends: string[] = [];
  const store = createSessionStore<string>({
    name: "s",
    now: () => at,
    onEvict: (state, id, why) => void ends.push(`${id} ${state} ${why}`),
    ...options,
  });
  return { store, ends, pass: (ms: number) => (at += ms) };
}

const expired = expect.objectContaining({ status: 410, failureKind: "session_expired" });
const lost = expect.objectContaining({ status: 410, failureKind: "session_lost" });

describe("a store", () => {
  test("keeps one state for each session until it is deleted", () => {
    const { store, ends } = storeWithClock();
    expect(store.get("a")).toBeUndefined();
    store.set("a", "1");
    expect(store.getOrCreate("a", () => "2")).toBe("1");
    expect(store.getOrCreate("b", () => "2")).toBe("2");
    store.set("a", "3");
    expect([store.get("a"), store.require("b"), store.size]).toEqual(["3", "2", 2]);
    expect([store.delete("a"), store.delete("a"), store.delete("never"), store.size]).toEqual(["3", undefined, undefined, 1]);
    expect(ends).toEqual([]);
  });

  test("a session that ended gets no fresh state, whoever asks", () => {
    const { store } = storeWithClock();
    store.set("a", "1");
    store.delete("a");
    for (const use of [
      () => store.get("a"),
      () => store.require("a"),
      () => store.set("a", "2"),
      () => store.getOrCreate("a", () => "2"),
    ]) {
      expect(use).toThrow(expired);
    }
    expect(store.size).toBe(0);
  });

  test("time to live counts from the last use", () => {
    const { store, ends, pass } = storeWithClock({ ttlMs: 100 });
    store.set("a", "1");
    store.set("b", "2");
    pass(99);
    store.get("a");
    pass(1);
    expect(() => store.get("b")).toThrow(expired);
    expect(store.get("a")).toBe("1");
    pass(100);
    expect(store.get("c")).toBeUndefined();
    expect([store.size, ends]).toEqual([0, ["b 2 expired", "a 1 expired"]]);
    expect(() => store.require("a")).toThrow(expired);
    expect(() => store.require("c")).toThrow(lost);
  });

  test("a server without calls frees what expired", async () => {
    const freed = Promise.withResolvers<string>();
    using store = createSessionStore<string>({ name: "s", ttlMs: 5, onEvict: (_, id) => freed.resolve(id) });
    store.set("a", "1");
    expect(await freed.promise).toBe("a");
    expect(store.size).toBe(0);
  });

  test("a full store refuses the new session and harms none that is in use", () => {
    const { store, ends, pass } = storeWithClock({ maxSessions: 2, reclaimAfterMs: 50 });
    store.set("a", "1");
    store.set("b", "2");
    pass(49);
    expect(() => store.set("c", "3")).toThrow(expect.objectContaining({ code: "NG_ERR_OVERLOADED" }));
    let made = 0;
    expect(() => store.getOrCreate("c", () => String(++made))).toThrow("max_sessions");
    expect([store.get("a"), store.get("b"), made, ends]).toEqual(["1", "2", 0, []]);
    store.delete("a");
    store.set("c", "3");
    expect(store.get("c")).toBe("3");
  });

  test("a full store gives up the session that nobody closed, and says so to its caller", () => {
    const { store, ends, pass } = storeWithClock({ maxSessions: 2, reclaimAfterMs: 50 });
    store.set("a", "1");
    store.set("b", "2");
    pass(50);
    store.get("a");
    store.set("c", "3");
    expect([ends, store.size]).toEqual([["b 2 reclaimed"], 2]);
    expect(() => store.getOrCreate("b", () => "fresh")).toThrow(expired);
  });

  test("what cannot be freed is told, and stops nothing", async () => {
    const lines: string[] = [];
    const failing = (how: () => unknown): SessionStore<string> =>
      createSessionStore<string>({ name: "s", onEvict: how, log: (line) => void lines.push(line) });
    for (const how of [() => Promise.reject(new Error("later")), () => raise("at once")]) {
      const store = failing(how);
      store.set("a", "1");
      store[Symbol.dispose]();
      expect(store.size).toBe(0);
    }
    await Promise.resolve();
    expect(lines.sort()).toEqual([expect.stringContaining("(stopped) was not freed: at once"), expect.stringContaining("later")]);
  });

  test("names of objects' own members are ids like any other", () => {
    const { store } = storeWithClock();
    for (const id of ["__proto__", "constructor", "toString", ""]) {
      expect(store.get(id)).toBeUndefined();
      store.set(id, id);
      expect(store.require(id)).toBe(id);
    }
  });
});

function raise(message: string): never {
  throw new Error(message);
}

class Counting extends ResourcesServer<SessionServerConfig> {
  static override readonly configSchema = sessionServerConfig;
  readonly #counts = createSessionStore<{ count: number }>({ name: this.name, ...sessionLimits(this.config) });

  override seedSession(_row: unknown, { session }: RequestContext): void {
    this.#counts.set(session, { count: 0 });
  }
  override closeSession(_id: string, { session }: RequestContext): void {
    this.#counts.delete(session);
  }
  override tools(): Record<string, Tool> {
    return { add: tool({ run: (_, { session }) => ++this.#counts.getOrCreate(session, () => ({ count: 0 })).count }) };
  }
  override verify(_: unknown, { session }: RequestContext): { reward: number } {
    return { reward: this.#counts.require(session).count };
  }
}

/** A start of the server: what one process keeps is not in the next, which may share its secret. */
function started(options: { sessionSecret?: string; block?: object } = {}): Endpoint {
  const config = sessionServerConfig.parse({ ...options.block });
  const client = createServerClient({ addressOf: () => ({ url: "http://127.0.0.1:9" }) });
  const server = new Counting({ name: "counting", config, client, global: { get: () => undefined }, log: () => {} });
  return createEndpoint(server, { sessionSecret: options.sessionSecret ?? "secret" });
}

const RESPONSE = plainResponse();
const BODIES: Record<string, object> = {
  "/verify": { responses_create_params: { input: "x" }, response: RESPONSE },
  "/close_session": { resources_session_id: "r", episode_id: { rollout_id: "e" } },
};

/** One caller, who keeps his cookie. */
function caller() {
  let cookie: string | undefined;
  return async (endpoint: Endpoint, path: string): Promise<EndpointReply> => {
    const headers: Record<string, string> = cookie === undefined ? {} : { cookie };
    const reply = await endpoint.handle({ method: "POST", path, headers, body: BODIES[path] ?? {}, signal: new AbortController().signal });
    cookie = reply.setCookies?.at(-1)?.split(";")[0] ?? cookie;
    return reply;
  };
}

describe("a server whose sessions have state", () => {
  const GONE = (kind: string) => ({ status: 410, headers: { "x-ng-failure-kind": kind } });

  test("scores the session that it seeded", async () => {
    const [server, ask] = [started(), caller()];
    for (const path of ["/seed_session", "/add", "/add"]) expect((await ask(server, path)).status).toBe(200);
    expect(await ask(server, "/verify")).toMatchObject({ status: 200, body: { reward: 2 } });
  });

  test.each([
    ["with the same secret", "secret"],
    ["with another", "another secret"],
  ])("does not score a session from before a restart %s", async (_, sessionSecret) => {
    const ask = caller();
    await ask(started(), "/seed_session");
    expect(await ask(started({ sessionSecret }), "/verify")).toMatchObject(GONE("session_lost"));
  });

  test("does not begin a lost session anew because a tool is called", async () => {
    const ask = caller();
    await ask(started(), "/seed_session");
    const next = started();
    expect(await ask(next, "/add")).toMatchObject(GONE("session_lost"));
    expect(await ask(next, "/verify")).toMatchObject(GONE("session_lost"));
  });

  test("does not score what it closed or never seeded", async () => {
    const [server, ask, stranger] = [started(), caller(), caller()];
    await ask(server, "/seed_session");
    for (const _ of [1, 2]) expect((await ask(server, "/close_session")).status).toBe(200);
    expect(await ask(server, "/verify")).toMatchObject(GONE("session_expired"));
    expect(await ask(server, "/seed_session")).toMatchObject(GONE("session_expired"));
    expect(await stranger(server, "/verify")).toMatchObject(GONE("session_lost"));
  });

  test("answers 429 beyond max_sessions", async () => {
    const server = started({ block: { max_sessions: 1 } });
    const [first, second] = [caller(), caller()];
    await first(server, "/seed_session");
    expect(await second(server, "/seed_session")).toMatchObject({
      status: 429,
      headers: { "retry-after": "1", "x-ng-failure-kind": "counting:overloaded" },
      body: { detail: expect.stringContaining("max_sessions") },
    });
    await first(server, "/close_session");
    expect((await second(server, "/seed_session")).status).toBe(200);
  });
});
