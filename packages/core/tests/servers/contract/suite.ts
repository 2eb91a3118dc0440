/**
 * What every caller of a server sees, whichever way it calls: statuses, bodies, cookies, header names, error shapes. One suite, run on every
 * transport and every way of hosting. It expects these instances: `resources`, `agent`, `model` (the classes of `servers/`), `environment` (the relay
 * in front of `agent`), and `gone` (an address that refuses connections).
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Call, CookieJar, failureFacts, type Reply, type ServerClient } from "../../../src/http/index.ts";
import { responseSaying } from "./response.ts";

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

export interface ContractHosting extends AsyncDisposable {
  client: ServerClient;
  /** Sends these bytes; absent where there is no socket. */
  send?(server: string, request: { method?: string; path: string; body?: string; headers?: Record<string, string> }): Promise<RawAnswer>;
}

/** `max_body_bytes` of `resources`. */
export const CONTRACT_BODY_LIMIT = 100_000;

/** Headers that belong to a connection or tell the time: no part of the contract. */
const ASIDE = new Set(["connection", "keep-alive", "date", "content-length", "transfer-encoding"]);
const headerNames = (reply: { headers: Record<string, string> }): string[] =>
  Object.keys(reply.headers)
    .filter((name) => !ASIDE.has(name))
    .sort();

export interface ContractOptions {
  /** Calls go over sockets: bytes can be sent. */
  sockets: boolean;
  /** The client brings a session that began before the first call. */
  begun?: boolean;
}

export function describeContract(name: string, open: () => Promise<ContractHosting>, { sockets, begun = false }: ContractOptions): void {
  describe(`the contract of servers: ${name}`, () => {
    let hosting: ContractHosting;
    beforeAll(async () => {
      hosting = await open();
    });
    afterAll(() => hosting[Symbol.asyncDispose]());

    const call = (server: string, path: string, rest: Partial<Call> = {}): Promise<Reply> =>
      hosting.client.call(server, { kind: "tool", path, body: {}, ...rest });
    const get = (server: string, path: string): Promise<Reply> => call(server, path, { method: "GET", body: undefined });
    const run = (told: unknown, rest: Partial<Call> = {}): Promise<Reply> =>
      call("environment", "/run", { kind: "run", body: { responses_create_params: { input: "go" }, told }, ...rest });

    describe("routes", () => {
      test.each(["resources", "agent", "model", "environment"])("%s tells that it lives", async (server) => {
        for (const path of ["/", "/health", "/healthz", "/livez", "/readyz"]) {
          const reply = await get(server, path);
          expect([reply.status, reply.json()]).toEqual([200, { status: "ok" }]);
        }
        expect((await get(server, "/docs")).status).toBe(200);
      });

      test("an unknown path: 404 with a session", async () => {
        const reply = await call("resources", "/nothing");
        expect([reply.status, reply.json(), headerNames(reply)]).toEqual([404, { detail: "Not Found" }, ["content-type", "vary"]]);
        expect(reply.headers["content-type"]).toBe("application/json");
        expect(reply.setCookies).toHaveLength(1);
      });

      test("another method: 405 that tells the right one", async () => {
        const reply = await get("resources", "/verify");
        expect([reply.status, reply.json(), reply.headers.allow]).toEqual([405, { detail: "Method Not Allowed" }, "POST"]);
        expect(headerNames(reply)).toEqual(["allow", "content-type", "vary"]);
      });

      test("a trailing slash leads to the path without it", async () => {
        const reply = await call("resources", "/add/", { body: { a: 1, b: 2 } });
        expect([reply.status, reply.json()]).toEqual([200, { sum: 3 }]);
      });

      test("a path means the same with a query, dot segments and odd characters", async () => {
        const sum = { body: { a: 1, b: 2 } };
        for (const path of ["/add?x=1", "/x/../add", "/./add", "/add#part"])
          expect((await call("resources", path, sum)).json()).toEqual({ sum: 3 });
        expect((await call("resources", `/${encodeURIComponent("odd name/1")}`)).json()).toBe("odd");
        expect((await call("resources", "/odd name/1")).status).toBe(404);
        await expect(call("resources", "add", sum)).rejects.toThrow('begins with "/"');
      });

      test("a rollout prefix is told to the handler and changes nothing else", async () => {
        const reply = await call("resources", "/ng-rollout/r-1.a2/echo", { body: { x: 1 } });
        expect(reply.json()).toEqual({ body: { x: 1 }, rolloutId: "r-1.a2", prefix: "/ng-rollout/r-1.a2", mine: null, pseudo: [] });
        const captured = await call("resources", "/ng-rollout/r-1/training-token-capture/echo");
        expect(captured.json()).toMatchObject({ rolloutId: "r-1", prefix: "/ng-rollout/r-1/training-token-capture" });
        for (const path of ["/ng-rollout/-bad/echo", "/ng-rollout/a%20b/echo", "/ng-rollout/"])
          expect((await call("resources", path)).status).toBe(404);
        expect((await call("agent", "/ng-rollout/r-1/run")).status).toBe(404);
        const asked = await call("model", "/ng-rollout/-any%20id/v1/responses", { body: { input: "x" } });
        expect(asked.status).toBe(200);
      });

      test("a rollout id and headers of the caller reach the handler; an id that is none does not", async () => {
        const good = await call("resources", "/echo", { headers: { "X-NG-Rollout-Id": "r-7", "X-Mine": "1" } });
        expect(good.json()).toMatchObject({ rolloutId: "r-7", mine: "1" });
        const bad = await call("resources", "/echo", { headers: { "x-ng-rollout-id": "../../etc" } });
        expect(bad.json()).toMatchObject({ rolloutId: null });
      });
    });

    describe("refused bodies", () => {
      const missing = (field: string, input: unknown): object => ({ type: "missing", loc: ["body", field], msg: "Field required", input });

      test("no body", async () => {
        const reply = await call("resources", "/verify", { body: undefined });
        expect([reply.status, reply.json()]).toEqual([
          422,
          { detail: [{ type: "missing", loc: ["body"], msg: "Field required", input: null }] },
        ]);
        expect(reply.setCookies).toHaveLength(1);
      });

      test.each([[[1, 2]], ["text"], [7], [null], [true]])("%j is no object", async (body) => {
        const reply = await call("resources", "/verify", { body });
        expect(reply.status).toBe(422);
        expect((reply.json() as { detail: { loc: unknown[] }[] }).detail[0]?.loc).toEqual(["body"]);
      });

      test("the common fields and the row's own are refused together", async () => {
        const reply = await call("resources", "/verify", { body: { mode: "other" } });
        const { detail } = reply.json() as { detail: { type: string; loc: unknown[] }[] };
        expect(reply.status).toBe(422);
        expect(detail.map(({ loc }) => loc.at(-1)).sort()).toEqual(["expected", "mode", "response", "responses_create_params"]);
        expect(detail).toContainEqual(expect.objectContaining(missing("response", { mode: "other" })));
      });

      test("a tool's arguments", async () => {
        const reply = await call("resources", "/add", { body: { a: 1, b: "x" } });
        expect(reply.status).toBe(422);
        expect(reply.json()).toMatchObject({ detail: [{ loc: ["body", "b"], input: "x" }] });
      });

      test("an agent's row, through the relay and without it", async () => {
        for (const server of ["agent", "environment"]) {
          const reply = await call(server, "/run", { kind: "run", body: { x: 1 } });
          expect([reply.status, reply.json()]).toEqual([
            422,
            { detail: [expect.objectContaining(missing("responses_create_params", { x: 1 }))] },
          ]);
        }
      });

      test("keys that objects inherit are data like any other", async () => {
        const body = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"x":1}');
        const reply = await call("resources", "/echo", { body });
        expect((reply.json() as { body: unknown }).body).toEqual({ constructor: { prototype: { polluted: 1 } }, x: 1 });
        expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
      });
    });

    describe("failures", () => {
      test("an error of the handler: 500 with a JSON text, its facts in headers, no session", async () => {
        const reply = await call("resources", "/boom");
        expect([reply.status, reply.json()]).toEqual([500, String.raw`Error("out of \\u001b[31mluck\\u000d")`]);
        expect(headerNames(reply)).toEqual(["content-type", "x-ng-failure", "x-ng-failure-kind", "x-ng-request-id"]);
        expect(reply.headers["content-type"]).toBe("application/json");
        expect(reply.setCookies).toEqual([]);
        expect(failureFacts(reply.headers)).toMatchObject({ failure_kind: "resources:internal_error", boundary: "resources" });
      });

      test.each(["throws", "not_finite"])("a verifier that %s: verifier_error, never a reward", async (mode) => {
        const body = { responses_create_params: { input: "q" }, response: responseSaying("a"), expected: "a", mode };
        const reply = await call("resources", "/verify", { kind: "verify", body });
        expect(reply.status).toBe(500);
        expect(reply.headers["x-ng-failure-kind"]).toBe("verifier_error");
        expect(reply.text()).not.toContain('reward":');
      });

      test("a refusal of the handler keeps its status and detail, and has a session", async () => {
        const reply = await call("resources", "/refuse");
        expect([reply.status, reply.json(), reply.setCookies.length]).toEqual([409, { detail: { reason: "closed" } }, 1]);
      });

      test("a failed inner server: the text that clients match on, and the first hop that broke", async () => {
        const reply = await run({ call: { server: "resources", path: "/refuse", body: {} } });
        expect(reply.status).toBe(500);
        expect(reply.json()).toBe(`Hit an exception in ContractAgent___agent calling an inner server: b'{"detail":{"reason":"closed"}}'`);
        expect(reply.setCookies).toEqual([]);
        expect(failureFacts(reply.headers)).toMatchObject({
          failure_kind: "resources:upstream_status",
          boundary: "resources",
          status: 409,
        });
      });

      test("facts cross further hops unchanged", async () => {
        const reply = await run({ call: { server: "resources", path: "/boom", body: {} } });
        expect(reply.json()).toMatch(/^Hit an exception in ContractAgent___agent calling an inner server: b'"Error\(/);
        expect(failureFacts(reply.headers)).toMatchObject({ failure_kind: "resources:internal_error", boundary: "resources" });
      });

      test("an inner server that cannot be reached", async () => {
        const reply = await run({ call: { server: "gone", path: "/x", body: {} } });
        expect(reply.status).toBe(500);
        expect(failureFacts(reply.headers)).toMatchObject({ failure_kind: "transport_unreachable", boundary: "gone" });
        expect(reply.json()).toContain("gone at http://127.0.0.1:");
      });

      test("a model's answer that is none of its dialect", async () => {
        const reply = await call("model", "/v1/chat/completions", { kind: "model", body: { messages: [{ role: "user", content: "x" }] } });
        expect(reply.status).toBe(500);
        expect(reply.headers["x-ng-failure-kind"]).toBe("model:bad_response");
      });
    });

    describe("sessions", () => {
      const visit = async (jar?: CookieJar): Promise<{ visits: number; session: string; new: boolean }> =>
        (await call("resources", "/visit", { jar })).json() as { visits: number; session: string; new: boolean };

      test("a new one is told by a cookie of the server's name and the reference's attributes", async () => {
        const reply = await call("resources", "/visit");
        expect(reply.setCookies).toEqual([
          expect.stringMatching(/^ContractResources___resources=[\w.~-]+; path=\/; Max-Age=1209600; httponly; samesite=lax$/),
        ]);
        expect(reply.headers.vary).toBe("Cookie");
      });

      test("its state comes back with it, quoted or not", async () => {
        const jar = new CookieJar();
        const first = await visit(jar);
        expect(first).toMatchObject({ visits: 1, new: !begun });
        expect(await visit(jar)).toEqual({ visits: 2, session: first.session, new: false });
        const quoted = CookieJar.fromHeader(`ContractResources___resources="${jar.get("ContractResources___resources")}"`);
        expect(await visit(quoted)).toEqual({ visits: 3, session: first.session, new: false });
      });

      test("a kept one is sent again without a change", async () => {
        const jar = new CookieJar();
        await call("resources", "/echo", { jar });
        const before = jar.header();
        const reply = await call("resources", "/echo", { jar });
        expect(reply.setCookies).toHaveLength(1);
        expect(jar.header()).toBe(before);
      });

      test("a forged, foreign or broken one begins anew", async () => {
        const jar = new CookieJar();
        const { session } = await visit(jar);
        const name = "ContractResources___resources";
        const [payload, signature] = (jar.get(name) ?? "").split(".") as [string, string];
        const forged = Buffer.from(JSON.stringify({ session_id: session, visits: 99 })).toString("base64url");
        const agentJar = new CookieJar();
        await call("agent", "/health", { method: "GET", body: undefined, jar: agentJar });
        const foreign = agentJar.get("ContractAgent___agent") ?? "";
        expect(foreign).not.toBe("");
        for (const value of [`${forged}.${signature}`, `${payload}.`, payload, "", ".", "null", foreign, `${payload}.${signature}x`]) {
          expect(await visit(CookieJar.fromHeader(`${name}=${value}`))).toMatchObject({
            visits: 1,
            new: true,
            session: expect.not.stringMatching(session),
          });
        }
      });

      test("a handler sees the cookies of others, not its own, and may set more", async () => {
        const jar = CookieJar.fromHeader("other=1");
        await visit(jar);
        const reply = await call("resources", "/cookies", { jar });
        expect(reply.json()).toEqual({ seen: ["other"] });
        expect(reply.setCookies.map((line) => line.split("=")[0])).toEqual(["extra", "ContractResources___resources"]);
        expect(jar.names().sort()).toEqual(["ContractResources___resources", "extra", "other"]);
      });
    });

    describe("answers", () => {
      test("seed, verify, reverify mode and aggregate", async () => {
        const jar = new CookieJar();
        const seeded = await call("resources", "/seed_session", { kind: "seed", body: { task: [1] }, jar });
        expect(seeded.json()).toEqual({ seeded_with: { task: [1] } });
        const body = {
          responses_create_params: { input: "q" },
          response: responseSaying("a"),
          expected: "a",
          mode: "right",
          own: { deep: [1, null] },
        };
        const verified = await call("resources", "/verify", { kind: "verify", body, jar });
        expect(verified.json()).toMatchObject({ reward: 1, expected: "a", mask_sample: false, failure_kind: null, failure_reason: null });
        expect((await get("resources", "/reverify_mode")).json()).toBe("stateless");
        const rows = [0, 1].map((reward, repeat) => ({
          reward,
          _ng_task_index: 0,
          _ng_rollout_index: repeat,
          response: responseSaying("a"),
        }));
        const aggregated = await call("resources", "/aggregate_metrics", { kind: "control", body: { verify_responses: rows } });
        expect(aggregated.json()).toMatchObject({ agent_metrics: { "mean/reward": 0.5 } });
      });

      test("a text with its own type", async () => {
        const reply = await call("resources", "/text");
        expect([reply.status, reply.text(), reply.headers["content-type"]]).toEqual([200, "plain ü", "text/plain; charset=utf-8"]);
        expect(() => reply.json()).toThrow(/not JSON/);
      });

      test("nothing at all", async () => {
        const reply = await call("resources", "/empty");
        expect([reply.status, reply.text(), headerNames(reply)]).toEqual([202, "", ["vary"]]);
      });

      test("a stream, whole and in order", async () => {
        const reply = await call("resources", "/stream");
        expect(reply.text()).toBe('event: a\ndata: 1\n\ndata: "ü"\n\n');
        expect(headerNames(reply)).toEqual(["content-type", "vary"]);
        expect(reply.setCookies).toHaveLength(1);
      });

      test("a stream that breaks off is an error, not a short answer", async () => {
        await expect(call("resources", "/breaks")).rejects.toMatchObject({
          code: "NG_ERR_PEER_DROP",
          message: expect.stringContaining("resources cut its answer to /breaks short"),
          details: { failure_kind: "transport_peer_drop", boundary: "resources" },
        });
      });

      test("a model's stream: the finished answer as events, a failure as an event", async () => {
        const types = (text: string): string[] => text.split("\n").flatMap((line) => (line.startsWith("event: ") ? [line.slice(7)] : []));
        const good = await call("model", "/v1/responses", { kind: "model", body: { input: "x", stream: true } });
        expect(types(good.text())).toEqual(["response.created", "response.output_item.done", "response.completed"]);
        expect(headerNames(good)).toEqual(["cache-control", "content-type", "vary", "x-accel-buffering"]);
        const bad = await call("model", "/v1/responses", { kind: "model", body: { input: "break", stream: true } });
        expect([bad.status, types(bad.text())]).toEqual([200, ["response.created", "response.failed"]]);
      });

      test("headers that a handler may not set are dropped, and none can begin another", async () => {
        const reply = await call("resources", "/hostile");
        expect([reply.status, reply.json()]).toEqual([200, { ok: true }]);
        expect(headerNames(reply)).toEqual(["content-type", "vary", "x-evil", "x-wide"]);
        expect(reply.headers).toMatchObject({ "x-evil": "aset-cookie: owned=1", "x-wide": "a" });
        expect(reply.setCookies.map((line) => line.split("=")[0])).toEqual(["evil", "ContractResources___resources"]);
        expect(reply.headers["x-forged"]).toBeUndefined();
      });
    });

    describe("the relay", () => {
      test("passes status, headers and cookies of the agent on, both ways", async () => {
        const answer = {
          status: 418,
          body: { tea: [1] },
          headers: { "x-pot": "full", "X-Lid": "on" },
          setCookies: ["sugar=2; path=/", "milk=1"],
        };
        const reply = await run({ answer });
        expect([reply.status, reply.json()]).toEqual([418, { tea: [1] }]);
        expect(headerNames(reply)).toEqual(["content-type", "vary", "x-lid", "x-pot"]);
        expect(reply.setCookies.map((line) => line.split("=")[0])).toEqual(["sugar", "milk", "ContractAgent___agent"]);
        const seen = await run({}, { jar: CookieJar.fromHeader("mine=1; other=2") });
        expect(seen.json()).toEqual({ cookies: "mine=1; other=2" });
      });

      test.each([
        ["text of another type", { text: "<html>", headers: { "content-type": "text/html" } }],
        ["text that says it is JSON and is not", { text: "{oops", headers: { "content-type": "application/json" } }],
      ])("passes on %s", async (_, { text, headers }) => {
        const reply = await run({ answer: { status: 502, body: null, text, headers, setCookies: [] } });
        expect([reply.status, reply.text(), reply.headers["content-type"]]).toEqual([502, text, headers["content-type"]]);
      });

      test("has no other routes and no session of its own", async () => {
        const reply = await call("environment", "/verify");
        expect([reply.status, reply.json(), reply.setCookies]).toEqual([404, { detail: "Not Found" }, []]);
        expect((await get("environment", "/run")).headers.allow).toBe("POST");
      });
    });

    describe("a caller that leaves", () => {
      interface Seen {
        started: number;
        cancelled: number;
      }
      /** A session of the server that is asked what it saw: where the server has copies, each sees its own calls. */
      const watch = async (): Promise<{ jar: CookieJar; before: Seen; seen: (least: Seen) => Promise<Seen> }> => {
        const jar = new CookieJar();
        const seen = async (body: Seen): Promise<Seen> => (await call("resources", "/seen", { body, jar })).json() as Seen;
        return { jar, before: await seen({ started: 0, cancelled: 0 }), seen };
      };

      test.each([
        ["directly", "resources"],
        ["two hops away", "environment"],
      ])("cancels the handler: %s", async (_, server) => {
        const { jar, before, seen } = await watch();
        const leave = new AbortController();
        const waiting =
          server === "resources"
            ? call("resources", "/wait", { jar, signal: leave.signal })
            : run({ call: { server: "resources", path: "/wait", body: {} } }, { jar, signal: leave.signal });
        const left = expect(waiting).rejects.toMatchObject({ code: "NG_ERR_CANCELLED" });
        await seen({ started: before.started + 1, cancelled: before.cancelled });
        leave.abort(new Error("enough"));
        await left;
        const after = { started: before.started + 1, cancelled: before.cancelled + 1 };
        expect(await seen(after)).toEqual(after);
      });

      test("so does one whose limit is over", async () => {
        const { jar, before, seen } = await watch();
        await expect(call("resources", "/wait", { jar, timeoutMs: 100 })).rejects.toMatchObject({
          code: "NG_ERR_TIMEOUT",
          message: "resources did not answer /wait within the tool time-out of 0.1 s",
          details: { failure_kind: "transport_timeout", boundary: "resources" },
        });
        await seen({ started: before.started + 1, cancelled: before.cancelled + 1 });
      });
    });

    // A function call has no bytes: these are asked where there is a socket.
    const bytes = sockets ? describe : () => undefined;
    bytes("bytes that no client of ours sends", () => {
      const send: NonNullable<ContractHosting["send"]> = (...request) => (hosting.send as NonNullable<ContractHosting["send"]>)(...request);
      test("a body that is not JSON: 422 that tells where", async () => {
        const answer = await send("resources", { path: "/add", body: '{"a": 1,}' });
        expect(answer.status).toBe(422);
        expect(JSON.parse(answer.text)).toMatchObject({ detail: [{ type: "json_invalid", loc: ["body", 8], msg: "JSON decode error" }] });
      });

      test.each(["text/plain", "application/x-www-form-urlencoded", "not a type at all"])(
        "JSON sent as %s is a text, which no route takes",
        async (type) => {
          const answer = await send("resources", { path: "/add", body: '{"a":1,"b":2}', headers: { "content-type": type } });
          expect(answer.status).toBe(422);
        },
      );

      test("a body that is too large: 413 that names the setting", async () => {
        for (const size of [CONTRACT_BODY_LIMIT + 1, 200 * CONTRACT_BODY_LIMIT]) {
          const reply = await call("resources", "/echo", { body: "x".repeat(size) });
          expect([reply.status, reply.json()]).toEqual([
            413,
            { detail: `The body is larger than max_body_bytes (${CONTRACT_BODY_LIMIT}).` },
          ]);
        }
        const large = await call("resources", "/echo", { body: { x: "x".repeat(CONTRACT_BODY_LIMIT - 100) } });
        expect(large.status).toBe(200);
      });

      test("a trailing slash answers 307 with the address", async () => {
        const answer = await send("resources", { path: "/add/", body: "{}" });
        expect([answer.status, answer.text]).toEqual([307, ""]);
        expect(answer.headers.location).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/add$/);
        expect(headerNames(answer)).toEqual(["location", "set-cookie", "vary"]);
      });

      test("paths and methods nobody knows are answered like any other", async () => {
        for (const path of ["/%zz", "/%", "/add%2f", `/${"x".repeat(5_000)}`]) {
          const answer = await send("resources", { path, body: "{}" });
          expect([path.slice(0, 10), answer.status, answer.text]).toEqual([path.slice(0, 10), 404, '{"detail":"Not Found"}']);
        }
        for (const method of ["HEAD", "OPTIONS", "PUT", "DELETE", "PATCH"]) {
          const answer = await send("resources", { method, path: "/add" });
          expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, "POST"]);
        }
      });
    });
  });
}
