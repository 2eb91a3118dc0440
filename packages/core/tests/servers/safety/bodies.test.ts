/** Bodies that are not what a route takes: an answer that says so, in FastAPI's shape, and a server that goes on. */
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { TextBody } from "../../../src/http/index.ts";
import { rawConnection } from "../raw-connection.ts";
import { LAST, openServer, post, RESPONSE, statuses } from "./open-server.ts";

const deep = (open: string, close: string, levels = 10_000): string => `${open.repeat(levels)}1${close.repeat(levels)}`;
const VERIFY = `"responses_create_params":{"input":"x"},"response":${JSON.stringify(RESPONSE)}`;

const refused: [string, string, string, { type: string; loc: unknown[] }][] = [
  ["lists, 10,000 deep", "/add", deep("[", "]"), { type: "json_invalid", loc: ["body", 1_000] }],
  ["objects, 10,000 deep", "/add", deep('{"a":', "}"), { type: "json_invalid", loc: ["body", 5_000] }],
  ["lists that never end", "/add", "[".repeat(100_000), { type: "json_invalid", loc: ["body", 1_000] }],
  [
    "a deep value beside the fields",
    "/verify",
    `{${VERIFY},"n":1,"x":${deep("[", "]")}}`,
    { type: "json_invalid", loc: ["body", expect.any(Number)] },
  ],
  ["a number beyond all", "/add", '{"a":1e999}', { type: "finite_number", loc: ["body", "a"] }],
  ["an integer of 5,000 digits", "/add", `{"a":${"9".repeat(5_000)}}`, { type: "finite_number", loc: ["body", "a"] }],
  ["a number with a fraction", "/add", '{"a":1.5}', { type: "int_from_float", loc: ["body", "a"] }],
  ["a word for a number", "/add", '{"a":"one"}', { type: "int_parsing", loc: ["body", "a"] }],
  ["NaN", "/add", '{"a":NaN}', { type: "json_invalid", loc: ["body", expect.any(Number)] }],
  ["a missing field", "/add", "{}", { type: "missing", loc: ["body", "a"] }],
  ["a field of a prototype", "/verify", `{${VERIFY},"__proto__":{"n":5}}`, { type: "missing", loc: ["body", "n"] }],
  ["null", "/add", "null", { type: "model_attributes_type", loc: ["body"] }],
  ["a list", "/add", "[1]", { type: "model_attributes_type", loc: ["body"] }],
  ["a text", "/add", '"a"', { type: "model_attributes_type", loc: ["body"] }],
  ["half an object", "/add", '{"a":', { type: "json_invalid", loc: ["body", 5] }],
  ["two objects", "/add", '{"a":1}{"a":2}', { type: "json_invalid", loc: ["body", 7] }],
  ["blanks alone", "/add", "  \n", { type: "json_invalid", loc: ["body", expect.any(Number)] }],
  ["a NUL", "/add", "\0", { type: "json_invalid", loc: ["body", expect.any(Number)] }],
  ["no answer to verify", "/verify", '{"n":1}', { type: "missing", loc: ["body", "responses_create_params"] }],
];

describe("422", () => {
  test.each(refused)("%s", async (_, path, body, issue) => {
    await using server = await openServer();
    const reply = await server.ask(path, new TextBody(body), { "content-type": "application/json" });
    expect(reply.status).toBe(422);
    expect((reply.json() as { detail: unknown[] }).detail[0]).toMatchObject({ ...issue, msg: expect.any(String) });
    expect((await server.ask("/add", { a: "2" })).json()).toBe(2);
  });

  test("no body at all", async () => {
    await using server = await openServer();
    const reply = await server.ask("/add", undefined);
    expect([reply.status, reply.json()]).toEqual([
      422,
      { detail: [{ type: "missing", loc: ["body"], msg: "Field required", input: null }] },
    ]);
  });

  test.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonp"])(
    "JSON that calls itself %s",
    async (type) => {
      await using server = await openServer();
      const reply = await server.ask("/add", new TextBody('{"a":1}'), { "content-type": type });
      expect([reply.status, reply.json()]).toMatchObject([422, { detail: [{ type: "model_attributes_type", loc: ["body"] }] }]);
    },
  );
});

describe("what is read", () => {
  test.each(["application/json; charset=utf-8", "APPLICATION/JSON", "application/problem+json"])("JSON as %s", async (type) => {
    await using server = await openServer();
    expect((await server.ask("/add", new TextBody('{"a":1}'), { "content-type": type })).json()).toBe(1);
  });

  test("a byte order mark is no part of the text", async () => {
    await using server = await openServer();
    expect((await server.ask("/add", new TextBody('\ufeff{"a":1}'), { "content-type": "application/json" })).json()).toBe(1);
  });

  test("a nesting of a thousand, and bytes that are no UTF-8, which become U+FFFD", async () => {
    await using server = await openServer();
    const text = deep("[", "]", 1_000);
    expect((await server.ask("/echo", new TextBody(text), { "content-type": "application/json" })).text()).toBe(text);
    await using raw = await rawConnection(server.port);
    await raw.send(post("/echo", '"xyz"').replace("xyz", "\xff\xfe\x80").replace(LAST, ""), "latin1");
    await raw.send(LAST);
    expect(await raw.closed).toContain(Buffer.from('"\ufffd\ufffd\ufffd"').toString("latin1"));
  });

  test("brackets in texts are no nesting", async () => {
    await using server = await openServer();
    const value = ["[{".repeat(5_000), '\\"[['.repeat(3_000), "\\"];
    expect((await server.ask("/echo", value)).json()).toEqual(value);
  });
});

describe("encoded bodies", () => {
  test.each(["gzip", "br", "deflate, gzip", "aes128gcm"])("%s: 415 with the reason", async (encoding) => {
    await using server = await openServer();
    const body = new TextBody(gzipSync('{"a":1}').toString("latin1"));
    const reply = await server.ask("/add", body, { "content-type": "application/json", "content-encoding": encoding });
    expect([reply.status, reply.json()]).toEqual([415, { detail: expect.stringContaining(encoding) }]);
  });

  test("identity is no encoding", async () => {
    await using server = await openServer();
    expect((await server.ask("/add", { a: 1 }, { "content-encoding": "identity" })).json()).toBe(1);
  });

  test("a transfer coding: 501, and the connection goes on", async () => {
    await using server = await openServer();
    await using raw = await rawConnection(server.port);
    await raw.send(`POST /echo HTTP/1.1\r\nhost: h\r\ntransfer-encoding: gzip, chunked\r\n\r\n3\r\n[1]\r\n0\r\n\r\n${LAST}`);
    expect(statuses(await raw.closed)).toEqual([501, 200]);
  });
});
