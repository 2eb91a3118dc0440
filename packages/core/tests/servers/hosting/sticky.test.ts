/** A request that is handed over to the copy that opened its session: what crosses is the same, as it comes, and goes when its caller goes. */
import { EventEmitter, once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createPassOn, type Endpoint, type EndpointReply, type EndpointRequest, type PassOn } from "../../../src/http/index.ts";
import { type Listener, listen } from "../../../src/servers/listener.ts";
import { createSessionSigner } from "../../../src/servers/session.ts";
import { sticky } from "../../../src/servers/sticky.ts";

const server = { name: "s", identity: "Class___s", failureKind: () => "s:internal_error" };
const seen: EndpointRequest[] = [];
const turns = new EventEmitter();

async function* events(): AsyncGenerator<string> {
  yield "data: 1\n\n";
  await once(turns, "go");
  yield 'data: "ü"\n\n';
}

/** The other copy. */
const home: Endpoint = {
  async handle(request): Promise<EndpointReply> {
    seen.push(request);
    if (request.path === "/events") return { status: 200, body: null, headers: { "content-type": "text/event-stream" }, stream: events() };
    if (request.path === "/wait") {
      turns.emit("waiting");
      await once(request.signal, "abort");
      turns.emit("cancelled");
    }
    return { status: 201, body: { got: request.body }, headers: { "x-own": "1" }, setCookies: ["a=1", "b=2"] };
  },
};
const never: Endpoint = { handle: () => Promise.reject(new Error("this copy was not meant")) };

let listener: Listener;
let passOn: PassOn;
let here: Endpoint;
let cookie: string;

beforeAll(async () => {
  passOn = createPassOn();
  const copies = ["http://127.0.0.1:1"];
  const common = { server, sessionSecret: "secret", copies, passOn };
  listener = await listen(sticky(home, { ...common, copy: 1 }), { host: "127.0.0.1", port: 0 });
  copies.push(`http://127.0.0.1:${listener.port}`);
  here = sticky(never, { ...common, copy: 0 });
  cookie = cookieOf(1);
});
afterAll(async () => {
  await passOn.close();
  await listener.close(0);
});

function cookieOf(copy: number, secret = "secret"): string {
  const signer = createSessionSigner(server.identity, secret, copy);
  return signer.line(signer.open(undefined), undefined).split(";")[0] as string;
}

function ask(more: Partial<EndpointRequest>): Promise<EndpointReply> {
  const headers = { cookie, "content-type": "application/json", host: "announced:1", connection: "keep-alive", "x-mine": "ü" };
  return here.handle({ method: "POST", path: "/x", headers, body: { a: [1] }, signal: new AbortController().signal, ...more });
}

test("status, body, headers and cookies cross both ways; what belongs to a connection does not", async () => {
  const reply = await ask({});
  expect([reply.status, reply.text, reply.setCookies]).toEqual([201, '{"got":{"a":[1]}}', ["a=1", "b=2"]]);
  expect(reply.headers).toMatchObject({ "x-own": "1", "content-type": "application/json" });
  const { method, path, headers } = seen.at(-1) as EndpointRequest;
  expect([method, path]).toEqual(["POST", "/x"]);
  expect(headers).toMatchObject({ cookie, host: "announced:1" });
  expect(Object.keys(headers)).not.toContain("connection");
  expect(Object.keys(headers)).not.toContain("x-ng-handed-over");
});

test("a text that is no JSON crosses as it came", async () => {
  await ask({ body: undefined, malformed: { offset: 1, message: "no" }, unread: "{x" });
  expect(seen.at(-1)).toMatchObject({ body: undefined, unread: "{x", malformed: { offset: 1 } });
});

test("events are passed on one by one, not when the last has come", async () => {
  const { stream } = await ask({ path: "/events" });
  const pieces = (stream as AsyncIterable<string>)[Symbol.asyncIterator]();
  expect((await pieces.next()).value).toBe("data: 1\n\n");
  turns.emit("go");
  expect((await pieces.next()).value).toBe('data: "ü"\n\n');
  expect((await pieces.next()).done).toBe(true);
});

test("a caller that leaves cancels the handler in the other process", async () => {
  const leave = new AbortController();
  const [waiting, cancelled] = [once(turns, "waiting"), once(turns, "cancelled")];
  const answer = ask({ path: "/wait", signal: leave.signal });
  await waiting;
  leave.abort();
  await cancelled;
  expect((await answer).status).toBe(500);
});

test("a session of our own stays, a forged number or another server's signature decides nothing", async () => {
  for (const own of [cookieOf(0), cookieOf(1, "another secret"), cookie.replace("=1~", "=2~"), "Class___s=1~x.y", "Other___t=1~x.y"]) {
    await expect(
      here.handle({ method: "GET", path: "/", headers: { cookie: own }, body: undefined, signal: new AbortController().signal }),
    ).rejects.toThrow("not meant");
  }
});

test("a copy that cannot be reached: 410, session_lost, no new session", async () => {
  const lost = sticky(never, { server, sessionSecret: "secret", copy: 0, copies: ["", "http://127.0.0.1:1"], passOn });
  const reply = await lost.handle({ method: "POST", path: "/x", headers: { cookie }, body: {}, signal: new AbortController().signal });
  expect([reply.status, reply.headers?.["x-ng-failure-kind"], reply.setCookies]).toEqual([410, "session_lost", undefined]);
});
