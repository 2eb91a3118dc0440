/** What a caller or an upstream wrote ends no header, begins no line and steers no terminal. */
import { request } from "node:http";
import { describe, expect, test } from "vitest";
import { createServerClient, type EndpointReply } from "../../../src/http/index.ts";
import { createEndpoint } from "../../../src/servers/endpoint.ts";
import { ResourcesServer, reply, type Tool, tool } from "../../../src/servers/index.ts";
import { listen } from "../../../src/servers/listener.ts";
import { openServer } from "./open-server.ts";

/** Clears a screen, sets a title, overwrites a line, begins others. */
const HOSTILE = "\u001b[2J\u001b]0;owned\u0007\u009b31m\u202e\r0 failed\u2028\u0000\nset-cookie: owned=1\r\n\r\nHTTP/1.1 200 OK";
// biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

class Hostile extends ResourcesServer {
  override verify(): { reward: number } {
    return { reward: 0 };
  }
  override tools(): Record<string, Tool> {
    return {
      headers: tool({
        run: () => reply({ headers: { "x-told": HOSTILE, [`x-${HOSTILE.length}`]: "fine", location: `http://h/${HOSTILE}` } }),
      }),
      cookies: tool({
        run: (_, { setCookies, session }) => {
          session.set("note", HOSTILE);
          setCookies.push(`a=${HOSTILE}`);
        },
      }),
      framing: tool({
        run: () => reply({ headers: { "Content-Length": "3", "transfer-encoding": "chunked", connection: "upgrade" }, body: 1 }),
      }),
    };
  }
}

interface Received {
  status: number;
  names: string[];
  values: string[];
  text: string;
}

/** The answer as a strict parser reads it. */
async function answerTo(path: string): Promise<Received> {
  const client = createServerClient({ addressOf: () => ({ url: "http://127.0.0.1:9" }) });
  const server = new Hostile({ name: "hostile", config: {}, client, global: { get: () => undefined }, log: () => {} });
  const listener = await listen(createEndpoint(server, { sessionSecret: "secret" }), { host: "127.0.0.1", port: 0 });
  try {
    return await new Promise((resolve, reject) => {
      const sent = request({ port: listener.port, path, method: "POST" }, (message) => {
        let text = "";
        message.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        message.on("end", () => {
          const { rawHeaders } = message;
          const names = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
          resolve({ status: message.statusCode ?? 0, names, values: rawHeaders.filter((_, at) => at % 2 === 1), text });
        });
      });
      sent.on("error", reject);
      sent.end();
    });
  } finally {
    await listener.close(0);
  }
}

describe("headers of an answer", () => {
  test.each(["/headers", "/cookies"])("%s: one line each, none that was smuggled in", async (path) => {
    const { status, names, values } = await answerTo(path);
    expect(status).toBe(200);
    for (const value of values) expect(value).not.toMatch(CONTROL);
    expect(values.some((value) => value.startsWith("owned="))).toBe(false);
    expect(names.filter((name) => name === "set-cookie")).toHaveLength(path === "/cookies" ? 2 : 1);
  });

  test("a handler does not decide where its answer ends", async () => {
    const { status, names, text } = await answerTo("/framing");
    expect([status, text]).toEqual([200, "1"]);
    expect(names.filter((name) => name === "content-length" || name === "transfer-encoding")).toHaveLength(1);
  });
});

test("an error that quotes hostile text: printable in its answer, in its facts and in its log", async () => {
  await using server = await openServer();
  const failed = await server.ask("/fail", { message: HOSTILE });
  expect(failed.status).toBe(500);
  const facts = decodeURIComponent(failed.headers["x-ng-failure"] ?? "");
  // A line feed is written as two characters in JSON.
  for (const text of [failed.text(), facts, ...Object.values(failed.headers)]) expect(text).not.toMatch(CONTROL);
  expect(JSON.parse(facts).message).toContain("\\u001b[2J");
  expect(server.lines).toHaveLength(1);
  expect(server.lines[0]?.replaceAll("\n", "")).not.toMatch(CONTROL);
});

test("hostile paths and rollout ids reach no log as they are", async () => {
  await using server = await openServer();
  const bad: EndpointReply["status"][] = [];
  for (const path of [`/${encodeURIComponent(HOSTILE)}`, `/ng-rollout/${encodeURIComponent(HOSTILE)}/fail`])
    bad.push((await server.ask(path, {})).status);
  expect(bad).toEqual([404, 404]);
  await server.ask("/fail", { message: "x", _ng_task_index: HOSTILE, _ng_rollout_index: 1 });
  for (const line of server.lines) expect(line.replaceAll("\n", "")).not.toMatch(CONTROL);
});
