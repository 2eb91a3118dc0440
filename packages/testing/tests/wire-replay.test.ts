/** The replay against a small agent of the test's own: what is recorded, in what order, and how ends travel through the proxies. */
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import {
  type Address,
  checkTranscript,
  type Exchange,
  replayTranscript,
  type StartServers,
  type Transcript,
  type WireSpec,
} from "../src/index.ts";

/** Calls itself on /run, then the upstream; /run leaves when its caller leaves. */
const startAgent: StartServers = async (spec) => {
  const [agent] = spec.servers;
  const upstream = new URL(String(agent?.config.base_url));
  const server = createServer((incoming, outgoing) => {
    const [to, path] =
      incoming.url === "/run"
        ? [agent?.address, "/self"]
        : [{ host: upstream.hostname, port: Number(upstream.port) }, `${upstream.pathname}/ask`];
    passOn({ incoming, outgoing, to: to as Address, path });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    listening: { agent: { host: "127.0.0.1", port: (server.address() as AddressInfo).port } },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

function passOn({
  incoming,
  outgoing,
  to,
  path,
}: {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  to: Address;
  path: string;
}): void {
  const call = request({ ...to, path, method: "POST", agent: false, headers: { "content-type": "application/json" } }, (answer) => {
    answer.on("error", () => outgoing.writeHead(500).end("cut"));
    const chunks: Buffer[] = [];
    answer.on("data", (chunk: Buffer) => chunks.push(chunk));
    answer.on("end", () =>
      outgoing
        .writeHead(answer.statusCode ?? 0, { "content-type": "application/json", "set-cookie": "A___agent=v1" })
        .end(Buffer.concat(chunks)),
    );
  });
  call.on("error", () =>
    outgoing.destroyed ? undefined : outgoing.writeHead(500, { "content-type": "application/json" }).end('"dropped"'),
  );
  outgoing.on("close", () => (outgoing.writableFinished ? undefined : call.destroy()));
  incoming.pipe(call);
}

const play = (
  scripts: NonNullable<Transcript["input"]["scripts"]>,
  steps: Transcript["input"]["steps"],
  expected: Partial<Transcript["expected"]> = {},
): Transcript => ({
  id: "play",
  input: {
    servers: { agent: { type: "responses_api_agents", dir: "a", config: { base_url: "$UPSTREAM", model: { type: "x", name: "m" } } } },
    scripts,
    steps,
  },
  expected: { client_status: [], exchanges: [], ...expected },
});
const lines = (exchanges: Exchange[]): string[] =>
  exchanges.map((one) => `${one.from} -> ${one.to} ${one.path} in ${one.inside}: ${one.response?.status ?? "none"} ${one.end}`);

test("every call is seen, a call to itself too, with what it lies in", async () => {
  const transcript = play({ upstream: { "/v1/ask": [{ json: { at: "x" }, status: 201 }] } }, [
    { to: "agent", path: "/run", json: { q: 1 } },
    { to: "agent", path: "/run", text: "{", cookies: "keep" },
  ]);
  const replay = await replayTranscript(transcript, startAgent);
  expect(replay.clientStatus).toEqual([201, 201]);
  expect(lines(replay.exchanges)).toEqual([
    "client -> agent /run in null: 201 complete",
    "agent -> agent /self in 1: 201 complete",
    "agent -> upstream /v1/ask in 2: 201 complete",
    "client -> agent /run in null: 201 complete",
    "agent -> agent /self in 4: 201 complete",
    "agent -> upstream /v1/ask in 5: 201 complete",
  ]);
  expect(replay.exchanges[2]).toMatchObject({
    request: { headers: [["content-type", "application/json"]], body: { json: { q: 1 } } },
    response: { headers: [["content-type", "application/json"]], body: { json: { at: "x" } } },
  });
  expect(replay.exchanges[3]).toMatchObject({
    request: {
      headers: [
        ["content-type", "application/json"],
        ["cookie", "A___agent=v1"],
      ],
      body: { text: "{" },
    },
  });
  const expected = { client_status: replay.clientStatus, exchanges: replay.exchanges };
  await checkTranscript({ ...transcript, expected }, startAgent);
  await expect(checkTranscript({ ...transcript, expected: { ...expected, client_status: [200, 201] } }, startAgent)).rejects.toThrow(
    /^play: 1 differences\nstatuses/,
  );
});

describe("ends", () => {
  test("a script that breaks off is told from an answer", async () => {
    const replay = await replayTranscript(
      play(
        { upstream: { "/v1/ask": [{ drop: true }, { text: "abc", cut: true }, { b64: "//79", type: "application/octet-stream" }] } },
        Array(3).fill({ to: "agent", path: "/self", json: {} }),
      ),
      startAgent,
    );
    expect(replay.clientStatus).toEqual([500, 500, 200]);
    const upstream = replay.exchanges.filter((exchange) => exchange.to === "upstream");
    expect(upstream.map((exchange) => [exchange.response?.body, exchange.end])).toEqual([
      [undefined, "scripted: connection dropped without an answer"],
      [{ text: "abc" }, "scripted: body cut short"],
      [{ bytes_base64: "//79" }, "complete"],
    ]);
  });

  test("a client that leaves is passed on through every hop", async () => {
    const transcript = play({ upstream: { "/v1/ask": [{ hang: true }] } }, [{ to: "agent", path: "/run", json: {}, leave_after: 0 }], {
      exchanges: Array(3),
    });
    const replay = await replayTranscript(transcript, startAgent);
    expect(replay.clientStatus).toEqual([null]);
    expect(lines(replay.exchanges)).toEqual([
      "client -> agent /run in null: none caller went away",
      "agent -> agent /self in 1: none caller went away",
      "agent -> upstream /v1/ask in 2: none caller went away",
    ]);
  });

  test("steps that take too long are an error, and everything is closed", async () => {
    const transcript = play({ upstream: { "/v1/ask": [{ hang: true }] } }, [{ to: "agent", path: "/run", json: {} }]);
    await expect(replayTranscript(transcript, startAgent, { timeoutMs: 100 })).rejects.toThrow("play: the steps took longer than 100 ms");
  });
});

test("the servers get their addresses, the variables filled in, and a folder whose files are read", async () => {
  let given: WireSpec | undefined;
  const transcript = play({ res_stub: { "/x": [{ json: 1 }] }, upstream: {} }, [{ to: "res_stub", path: "/ng-rollout/r-1/x", json: {} }]);
  Object.assign(transcript.input, { top_level_config: { dir: "$TMP/cap" }, patched_constants: { PAUSE: 0.4 } });
  Object.assign(transcript.input.servers.agent?.config ?? {}, {
    resources_server: { type: "resources_servers", name: "res_stub" },
    tools: "$URL:res_stub/",
    dead: "$DEAD",
  });
  const replay = await replayTranscript(transcript, async (spec) => {
    given = spec;
    const { mkdir, writeFile } = await import("node:fs/promises");
    await mkdir(String(spec.topLevel.dir));
    await writeFile(`${spec.topLevel.dir}/r-1.jsonl`, '{"a":1}\n{"a":2}\n');
    return startAgent(spec);
  });
  const stub = given?.peers.find((peer) => peer.name === "res_stub");
  expect(stub?.type).toBe("resources_servers");
  expect(given?.servers[0]?.config).toMatchObject({
    tools: `http://127.0.0.1:${stub?.address.port}/`,
    dead: expect.stringMatching(/^http:\/\/127.0.0.1:\d+\/v1$/),
  });
  expect(given?.constants).toEqual({ PAUSE: 0.4 });
  expect(given?.topLevel.dir).toBe(`${given?.folder}/cap`);
  expect(replay.captureFiles).toEqual({ "r-1.jsonl": [{ a: 1 }, { a: 2 }] });
  expect(replay.clientStatus).toEqual([200]);
});
