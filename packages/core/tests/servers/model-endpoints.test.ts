/** The wait for the endpoints behind model servers: real sockets, a clock of the test's own. */
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import type { ServerInstance } from "../../src/config/index.ts";
import { fetchHead } from "../../src/head/index.ts";
import { probe } from "../../src/http/index.ts";
import { startServers } from "../../src/servers/index.ts";
import { awaitEndpoints, type EndpointEvent, modelEndpoints } from "../../src/servers/model-endpoints.ts";
import { load } from "../config/playground.ts";

async function listening(server: Server, port = 0): Promise<number> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** A port that nobody listens on. */
async function closedPort(): Promise<number> {
  const server = createServer();
  const port = await listening(server);
  server.close();
  await once(server, "close");
  return port;
}

const answering = (handler: RequestListener = (_request, response) => void response.end("{}")): Server => createServer(handler);

const model = (block: Record<string, unknown>, name = "m"): ServerInstance => ({
  name,
  type: "responses_api_models",
  implementation: "x",
  block,
});

interface Waited {
  events: EndpointEvent[];
  waits: number[];
  error: unknown;
}

/** Waits with a clock that only the waiting moves. */
async function waited(servers: ServerInstance[], timeoutSeconds: unknown, whileWaiting: () => unknown = () => {}): Promise<Waited> {
  const result: Waited = { events: [], waits: [], error: undefined };
  let time = 0;
  await awaitEndpoints({
    servers,
    timeoutSeconds,
    signal: new AbortController().signal,
    onEvent: (event) => result.events.push(event),
    now: () => time,
    wait: async (ms) => {
      time += ms;
      result.waits.push(ms);
      await whileWaiting();
    },
  }).catch((error) => {
    result.error = error;
  });
  return result;
}

test("addresses: texts and lists of keys that end in base_url, once each, of model servers only", () => {
  const servers = [
    model({ base_url: "http://a/v1/", openai_base_url: ["http://b", "http://a/v1", ""], other_base_url: null, url: "http://c" }),
    model({ base_url: "http://b/" }, "n"),
    { ...model({ base_url: "http://d" }), type: "resources_servers" as const },
    model({ base_url: "http://user:s3cret@e/v1?key=s3cret" }, "o"),
  ];
  expect(modelEndpoints(servers).map(({ shown, keys }) => [shown, ...keys])).toEqual([
    ["http://a/v1", "m.base_url", "m.openai_base_url"],
    ["http://b", "m.openai_base_url", "n.base_url"],
    ["http://****@e/v1", "o.base_url"],
  ]);
});

test("the model list is asked for behind /v1, any other address as it stands; every status is an answer", async () => {
  const asked: string[] = [];
  const server = answering((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.writeHead(500).end("no");
  });
  const url = `http://127.0.0.1:${await listening(server)}`;
  const { error, events } = await waited([model({ a_base_url: `${url}/v1/`, b_base_url: `${url}/other`, api_key: "k" })], null);
  server.close();
  expect({ error, events }).toEqual({ error: undefined, events: [] });
  expect(asked.sort()).toEqual(["GET /other undefined", "GET /v1/models undefined"]);
});

test("a refused endpoint is asked every 3 s until it answers; the first round and every tenth say so", async () => {
  const port = await closedPort();
  const server = answering();
  let rounds = 0;
  const { error, events, waits } = await waited([model({ base_url: `http://127.0.0.1:${port}/v1` })], 600, async () => {
    if (++rounds === 12) await listening(server, port);
  });
  server.close();
  expect(error).toBeUndefined();
  expect(waits).toEqual(Array(12).fill(3_000));
  expect(events.map((event) => [event.type, "elapsedMs" in event && event.elapsedMs])).toEqual([
    ["endpoints-waiting", 0],
    ["endpoints-waiting", 30_000],
  ]);
});

test("one that never answers ends the wait: the error names address and key, and no secret", async () => {
  const port = await closedPort();
  const { error, waits } = await waited([model({ base_url: `http://me:s3cret@127.0.0.1:${port}/v1` }, "policy_model")], "7.5");
  expect(waits).toEqual([3_000, 3_000, 1_500]);
  expect(error).toMatchObject({ code: "NG_ERR_UNREACHABLE", exitCode: 1 });
  const { message, hint, details } = error as { message: string; hint: string; details: unknown };
  expect(message).toContain(`http://****@127.0.0.1:${port}/v1 (policy_model.base_url)`);
  expect(message).toContain("7.5 s");
  expect(hint).toContain("model_endpoint_readiness_timeout_seconds");
  expect(JSON.stringify([message, hint, details])).not.toContain("s3cret");
});

test.each([0, -1, "0"])("a limit of %j: nobody is asked", async (limit) => {
  const { error, waits, events } = await waited([model({ base_url: `http://127.0.0.1:${await closedPort()}` })], limit);
  expect({ error, waits, events }).toEqual({ error: undefined, waits: [], events: [] });
});

test("a limit that is no number", async () => {
  expect((await waited([], "soon")).error).toMatchObject({ code: "NG_ERR_CONFIG" });
});

test("a name that means no address is told once and not waited for", async () => {
  // Longer than a label of a name may be: no name server needs to be asked.
  const url = `http://${"x".repeat(70)}.invalid/v1`;
  const { error, events, waits } = await waited([model({ base_url: url })], 600);
  expect({ error, waits }).toEqual({ error: undefined, waits: [] });
  expect(events).toEqual([{ type: "endpoint-unresolvable", endpoint: { shown: url, keys: ["m.base_url"] } }]);
});

test("a refused TLS handshake is an answer; a silent server is none", async () => {
  const plain = answering();
  expect(await probe(`https://127.0.0.1:${await listening(plain)}`)).toBe("answering");
  plain.close();
  const silent = answering(() => {});
  expect(await probe(`http://127.0.0.1:${await listening(silent)}`, { timeoutMs: 50 })).toBe("refused");
  silent.closeAllConnections();
  silent.close();
});

const MODEL = (port: number, head = 0): string =>
  [
    "policy_model:",
    "  responses_api_models:",
    "    openai_model:",
    "      entrypoint: app.ts",
    `      openai_base_url: http://127.0.0.1:${port}/v1`,
    "      openai_api_key: k",
    "      openai_model: m",
    `head_server: {port: ${head}}`,
    "",
  ].join("\n");

test("the head server is not ready before the endpoint answers", async () => {
  const port = await closedPort();
  const upstream = answering();
  const head = await closedPort();
  const config = await load(MODEL(port, head), { installRoot: undefined });
  const seen: unknown[] = [];
  const running = await startServers({
    config,
    onEvent: (event) => {
      if (event.type === "endpoints-waiting") {
        seen.push(event.endpoints);
        void fetchHead({ host: "127.0.0.1", port: head }).then(({ ready }) => {
          seen.push(ready);
          return listening(upstream, port);
        });
      }
      if (event.type === "ready") seen.push("ready");
    },
  });
  await using _running = running;
  upstream.close();
  expect(seen).toEqual([[{ shown: `http://127.0.0.1:${port}/v1`, keys: ["policy_model.openai_base_url"] }], false, "ready"]);
  expect((await fetchHead(running.head, AbortSignal.timeout(5_000))).ready).toBe(true);
});

test("servers are stopped where the endpoint never answers, and where the start is given up", async () => {
  const port = await closedPort();
  const urls: string[] = [];
  const onEvent = (event: { type: string; url?: string }): void => {
    if (event.type === "starting") urls.push(String(event.url));
  };
  const config = await load(`${MODEL(port)}model_endpoint_readiness_timeout_seconds: 0.05\n`, { installRoot: undefined });
  await expect(startServers({ config, onEvent })).rejects.toMatchObject({ code: "NG_ERR_UNREACHABLE" });
  const stop = new AbortController();
  const patient = await load(MODEL(port), { installRoot: undefined });
  await expect(
    startServers({
      config: patient,
      signal: stop.signal,
      onEvent: (event) => {
        onEvent(event);
        if (event.type === "endpoints-waiting") stop.abort();
      },
    }),
  ).rejects.toMatchObject({ code: "NG_ERR_CANCELLED" });
  expect(urls).toHaveLength(2);
  for (const url of urls) expect(await probe(url)).toBe("refused");
});
