/** Requests that two programs could read in two ways, and ways to name a route that is none. */
import { describe, expect, test } from "vitest";
import { rawConnection } from "../raw-connection.ts";
import { LAST, openServer, post, statuses } from "./open-server.ts";

/** All answers on one connection to these bytes and a last request. */
async function answers(bytes: string): Promise<string> {
  await using server = await openServer({ maxHeaderBytes: 16_384 });
  await using raw = await rawConnection(server.port);
  await raw.send(bytes + LAST, "latin1");
  return await raw.closed;
}

const head = (line: string, ...headers: string[]): string => `${[line, "host: h", ...headers].join("\r\n")}\r\n\r\n`;
const HIDDEN = post("/add", '{"a":77}');

describe("where a request ends", () => {
  test.each([
    ["two lengths", head("POST /add HTTP/1.1", "content-length: 0", `content-length: ${HIDDEN.length}`) + HIDDEN],
    ["a list of lengths", head("POST /add HTTP/1.1", "content-length: 0, 0") + HIDDEN],
    ["a length and chunks", `${head("POST /add HTTP/1.1", "content-length: 5", "transfer-encoding: chunked")}0\r\n\r\n${HIDDEN}`],
    ["chunks and a length", `${head("POST /add HTTP/1.1", "transfer-encoding: chunked", "content-length: 5")}0\r\n\r\n${HIDDEN}`],
    [
      "chunks, then something else",
      `${head("POST /add HTTP/1.1", "transfer-encoding: chunked", "transfer-encoding: identity")}0\r\n\r\n${HIDDEN}`,
    ],
    ["chunks that are not the last coding", `${head("POST /add HTTP/1.1", "transfer-encoding: chunked, gzip")}0\r\n\r\n${HIDDEN}`],
    ["a coding that looks like chunks", `${head("POST /add HTTP/1.1", "transfer-encoding: xchunked")}0\r\n\r\n${HIDDEN}`],
    ["a blank before the colon", head("POST /add HTTP/1.1", "content-length : 0") + HIDDEN],
    ["a folded header", head("POST /add HTTP/1.1", "x: 1", " content-length: 5") + HIDDEN],
    ["a signed length", head("POST /add HTTP/1.1", "content-length: +0") + HIDDEN],
    ["a negative length", head("POST /add HTTP/1.1", "content-length: -1") + HIDDEN],
    ["a length in hexadecimal", head("POST /add HTTP/1.1", "content-length: 0x5") + HIDDEN],
    ["a chunk size that is none", `${head("POST /add HTTP/1.1", "transfer-encoding: chunked")}g\r\n\r\n${HIDDEN}`],
    ["a chunk size beyond all", `${head("POST /add HTTP/1.1", "transfer-encoding: chunked")}fffffffffffffffff\r\n${HIDDEN}`],
    ["a length behind its chunks", `${head("POST /add HTTP/1.1", "transfer-encoding: chunked")}0\r\ncontent-length: 5\r\n\r\n`],
    ["a chunk longer than its size", `${head("POST /add HTTP/1.1", "transfer-encoding: chunked")}1\r\nab\r\n0\r\n\r\n${HIDDEN}`],
    ["lines that end with a line feed", "POST /add HTTP/1.1\nhost: h\ncontent-length: 0\n\n"],
    ["a NUL in a header", head("POST /add HTTP/1.1", "x: a\0b", "content-length: 0")],
    ["a carriage return in a header", head("POST /add HTTP/1.1", "x: a\rb", "content-length: 0")],
    ["no host", "GET /health HTTP/1.1\r\n\r\n"],
    ["a version that is none", head("GET /health HTTP/3.0")],
    ["an address without a version", "GET /health\r\n"],
  ])("%s: refused, and nothing after it is a request", async (_, bytes) => {
    const received = await answers(bytes);
    expect(statuses(received)).toEqual([400]);
    expect(received).not.toContain("77");
  });

  test("requests in one packet are answered in order, each with its own answer", async () => {
    const received = await answers([1, 2, 3].map((a) => post("/add", `{"a":${a}}`)).join(""));
    expect(statuses(received)).toEqual([200, 200, 200, 200]);
    expect([...received.matchAll(/\r\n\r\n(\d)/g)].map(([, a]) => a)).toEqual(["1", "2", "3"]);
  });

  test("chunks with extensions and trailers are one body, and trailers are no headers", async () => {
    const chunked = head("POST /add HTTP/1.1", "content-type: application/json", "transfer-encoding: chunked", "trailer: cookie");
    expect(statuses(await answers(`${chunked}3;x=y\r\n{"a\r\n4\r\n":1}\r\n0\r\ncookie: a=b\r\n\r\n`))).toEqual([200, 200]);
  });

  test("a body where none is expected is passed over", async () => {
    expect(statuses(await answers(head("GET /health HTTP/1.1", `content-length: ${HIDDEN.length}`) + HIDDEN))).toEqual([200, 200]);
  });
});

describe("what a request expects", () => {
  test("100-continue: told to go on, then answered", async () => {
    await using server = await openServer();
    await using raw = await rawConnection(server.port);
    await raw.send(head("POST /add HTTP/1.1", "content-type: application/json", "expect: 100-continue", "content-length: 7"));
    await raw.until("HTTP/1.1 100 Continue\r\n\r\n");
    await raw.send(`{"a":1}${LAST}`);
    expect(statuses(await raw.closed)).toEqual([100, 200, 200]);
  });

  test("anything else: 417", async () => {
    expect(statuses(await answers(head("GET /health HTTP/1.1", "expect: tea")))).toEqual([417, 200]);
  });

  test.each([
    ["websocket", ["connection: upgrade", "upgrade: websocket"]],
    ["h2c", ["connection: upgrade, http2-settings", "upgrade: h2c", "http2-settings: AAMAAABkAAQAAP__"]],
  ])("another protocol (%s): answered in this one", async (_, headers) => {
    await using server = await openServer();
    await using raw = await rawConnection(server.port);
    await raw.send(head("GET /health HTTP/1.1", ...headers));
    await raw.until("ok");
    await raw.send(LAST);
    expect(statuses(await raw.closed)).toEqual([200, 200]);
  });
});

describe("methods", () => {
  test.each([
    ["HEAD /health", 405, "GET"],
    ["PUT /health", 405, "GET"],
    ["GET /add", 405, "POST"],
    ["DELETE /add", 405, "POST"],
    ["TRACE /add", 405, "POST"],
    ["OPTIONS /add", 405, "POST"],
    ["PROPFIND /add", 405, "POST"],
    ["OPTIONS *", 404, undefined],
    ["GET /unknown", 404, undefined],
  ])("%s: %i", async (line, status, allow) => {
    const received = await answers(head(`${line} HTTP/1.1`, "x-secret: echo"));
    expect(statuses(received)).toEqual([status, 200]);
    expect(/^allow: (.*)$/m.exec(received)?.[1]).toBe(allow);
    expect(received).not.toContain("echo");
  });

  test("CONNECT ends the connection", async () => {
    expect(await answers(head("CONNECT elsewhere:80 HTTP/1.1"))).toBe("");
  });
});

describe("paths", () => {
  const body = '{"a":1}';
  test.each([
    ["/../add", 404],
    ["/./add", 404],
    ["//add", 404],
    ["/x/../add", 404],
    ["/%2e%2e/add", 404],
    ["/%61dd", 404],
    ["/a%2Fdd", 404],
    ["/add%00", 404],
    ["/add%0d%0ax:%201", 404],
    ["/add;x", 404],
    ["/add#x", 404],
    ["/ADD", 404],
    ["/\\add", 404],
    ["/%", 404],
    ["/%zz", 404],
    ["/%ff", 404],
    ["*", 404],
    ["http://elsewhere/add", 404],
    ["/constructor", 404],
    ["/toString", 404],
    ["/ng-rollout/../add", 404],
    ["/ng-rollout/a%2fb/add", 404],
    ["/ng-rollout//add", 404],
    ["/ng-rollout/a/ng-rollout/b/add", 404],
    [`/${"x".repeat(10_000)}`, 404],
    [`/${"x".repeat(20_000)}`, 431],
    ["/add\0", 400],
    ["/add x", 400],
    ["/add?a=2", 200],
    ["/t%C3%B6%20ol", 200],
    ["/__proto__", 200],
    ["/ng-rollout/a/add", 200],
  ])("%s: %i", async (path, status) => {
    const received = statuses(await answers(post(path, body)));
    expect(received).toEqual(status === 400 || status === 431 ? [status] : [status, 200]);
  });

  test("the way to a path without its slash leads to no other host", async () => {
    const received = await answers(post("/add/", body));
    expect(/^location: (.*)$/m.exec(received)?.[1]).toBe("http://h/add");
    expect(statuses(await answers(post("//elsewhere.example/add/", body)))).toEqual([404, 200]);
  });
});
