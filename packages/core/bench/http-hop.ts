/**
 * What one hop costs: CPU of client and server together, in microseconds a call, beside a floor of bare node:http and undici in the same run.
 * The call is a tool call: a JSON body of 0.7 kB, a session cookie both ways, one field validated; ours is counted and told apart by its headers as in a run.
 *
 *   node packages/core/bench/http-hop.ts [calls a round, default 10000] [rounds, default 5]
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Pool } from "undici";
import { z } from "zod";
import { CookieJar, createServerClient, type Endpoint } from "../src/http/index.ts";
import { createEndpoint } from "../src/servers/endpoint.ts";
import { ResourcesServer, type Tool, tool } from "../src/servers/index.ts";
import { listen } from "../src/servers/listener.ts";
import { observed } from "../src/servers/observed-endpoint.ts";
import { createTelemetry, newCall, outgoingHeaders, withCall } from "../src/telemetry/index.ts";

const CALLS = Number(process.argv[2] ?? 10_000);
const ROUNDS = Number(process.argv[3] ?? 5);
const CONCURRENCY = 64;
const BODY = { city: "Paris", filling: Array.from({ length: 12 }, (_, n) => ({ role: "user", content: `line ${n} of a conversation` })) };

class BenchServer extends ResourcesServer {
  override verify(): { reward: number } {
    return { reward: 0 };
  }
  override tools(): Record<string, Tool> {
    return { weather: tool({ input: z.looseObject({ city: z.string() }), run: ({ city }) => ({ city, weather: "cold" }) }) };
  }
}

type Hop = (caller: number) => Promise<unknown>;

async function floor(): Promise<Hop> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const { city } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
      const text = JSON.stringify({ city, weather: "cold" });
      response.writeHead(200, {
        "content-type": "application/json",
        "set-cookie": "s=1; path=/",
        "content-length": Buffer.byteLength(text),
      });
      response.end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const pool = new Pool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { connections: CONCURRENCY });
  const headers = { "content-type": "application/json", cookie: "s=1" };
  return async () => {
    const { body } = await pool.request({ path: "/weather", method: "POST", headers, body: JSON.stringify(BODY) });
    return JSON.parse(await body.text());
  };
}

async function ours(way: "http1" | "h2c" | "local"): Promise<Hop> {
  const endpoints = new Map<string, Endpoint>();
  const telemetry = createTelemetry({ level: "warn", write: () => {} });
  let port = 0;
  const client = createServerClient({
    addressOf: () => ({ url: `http://127.0.0.1:${port}`, h2c: way === "h2c" }),
    local: way === "local" ? endpoints : undefined,
    outgoing: outgoingHeaders,
    onCall: telemetry.meter.called,
  });
  const server = new BenchServer({ name: "bench", config: {}, client, global: { get: () => undefined }, log: () => {} });
  const endpoint = observed("bench", createEndpoint(server, { sessionSecret: "secret" }), telemetry);
  endpoints.set("bench", endpoint);
  if (way !== "local") ({ port } = await listen(endpoint, { host: "127.0.0.1", port: 0 }));
  const jars = Array.from({ length: CONCURRENCY }, () => new CookieJar());
  return (caller) =>
    withCall(newCall("caller", `0-${caller}`), async () =>
      (await client.call("bench", { kind: "tool", path: "/weather", body: BODY, jar: jars[caller] })).json(),
    );
}

/** Microseconds of CPU a call. */
async function measure(hop: Hop, calls: number): Promise<number> {
  const start = process.cpuUsage();
  let left = calls;
  const caller = async (n: number): Promise<void> => {
    while (left-- > 0) await hop(n);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, (_, n) => caller(n)));
  const { user, system } = process.cpuUsage(start);
  return (user + system) / calls;
}

const hops: [string, Hop][] = [
  ["floor", await floor()],
  ["http1", await ours("http1")],
  ["h2c", await ours("h2c")],
  ["local", await ours("local")],
];
const results = new Map<string, number[]>(hops.map(([name]) => [name, []]));
for (const [, hop] of hops) await measure(hop, Math.ceil(CALLS / 2));
for (let round = 0; round < ROUNDS; round++) for (const [name, hop] of hops) results.get(name)?.push(await measure(hop, CALLS));
// The least of the rounds: other work on the machine only ever adds to it.
const base = Math.min(...(results.get("floor") ?? []));
for (const [name, values] of results) {
  process.stdout.write(
    `${name.padEnd(6)} ${Math.min(...values)
      .toFixed(1)
      .padStart(8)} us CPU a call  ${(Math.min(...values) / base).toFixed(2)} x floor\n`,
  );
}
process.exit(0);
