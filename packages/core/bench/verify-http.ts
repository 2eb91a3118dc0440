/**
 * What `/verify` costs over HTTP/1.1: CPU of the server's process alone, in microseconds a call, at 32 connections. Three servers in one run: bare
 * `node:http` that parses and answers, a verifier that does nothing, and mcqa. The load comes from a process of its own.
 *
 *   node packages/core/bench/verify-http.ts [calls a round, default 10000] [rounds, default 5]
 */
import { fork } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { Pool } from "undici";
import Mcqa from "../../../resources_servers/mcqa/app.ts";
import { createServerClient } from "../src/http/index.ts";
import { createEndpoint } from "../src/servers/endpoint.ts";
import { type GymServerClass, ResourcesServer } from "../src/servers/index.ts";
import { listen } from "../src/servers/listener.ts";

const CONNECTIONS = 32;
const LETTERS = ["A", "B", "C", "D"];
const BODY = JSON.stringify({
  responses_create_params: {
    input: [{ role: "user", content: `${"Which of these is a colour? ".repeat(10)}\nA: red\nB: two\nC: cat\nD: up` }],
  },
  response: {
    id: "resp_1",
    created_at: 1,
    model: "m",
    object: "response",
    output: [
      {
        id: "msg_1",
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: `${"Let us think about it. ".repeat(40)}The answer is \\boxed{A}.`, annotations: [] }],
      },
    ],
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
  },
  options: LETTERS.map((letter, n) => ({ [letter]: ["red", "two", "cat", "up"][n] })),
  expected_answer: "A",
  grading_mode: "strict_single_letter_boxed",
});

class Trivial extends ResourcesServer {
  override verify(): { reward: number } {
    return { reward: 1 };
  }
}

/** The process of the load: does as many calls as it is told, then says so. */
async function load(port: number): Promise<void> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS });
  const headers = { "content-type": "application/json" };
  process.on("message", async (calls: number) => {
    let left = calls;
    const caller = async (): Promise<void> => {
      while (left-- > 0) {
        const { statusCode, body } = await pool.request({ path: "/verify", method: "POST", headers, body: BODY });
        const text = await body.text();
        if (statusCode !== 200 || !text.includes('"reward":1')) throw new Error(`${statusCode} ${text.slice(0, 500)}`);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, caller));
    process.send?.("done");
  });
  process.send?.("ready");
}

async function floor(): Promise<number> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const text = JSON.stringify({ ...JSON.parse(Buffer.concat(chunks).toString("utf8")), reward: 1 });
      response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
      response.end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

async function ours(Class: GymServerClass): Promise<number> {
  const client = createServerClient({ addressOf: () => ({ url: "http://127.0.0.1:9" }) });
  const config = Class.configSchema.parse({ entrypoint: "app.ts", domain: "knowledge" });
  const server = new Class({ name: "bench", config, client, global: { get: () => undefined }, log: () => {} });
  await server.start();
  const { port } = await listen(createEndpoint(server, { sessionSecret: "secret" }), { host: "127.0.0.1", port: 0 });
  return port;
}

async function main(): Promise<void> {
  const calls = Number(process.argv[2] ?? 10_000);
  const rounds = Number(process.argv[3] ?? 5);
  const servers: [string, number][] = [
    ["floor", await floor()],
    ["trivial", await ours(Trivial)],
    ["mcqa", await ours(Mcqa)],
  ];
  const loads = servers.map(([name, port]) => ({ name, child: fork(fileURLToPath(import.meta.url), ["load", String(port)]) }));
  const heard = (child: (typeof loads)[number]["child"]): Promise<unknown> => new Promise((resolve) => child.once("message", resolve));
  for (const { child } of loads) await heard(child);
  const best = new Map<string, number>();
  for (let round = -1; round < rounds; round++) {
    for (const { name, child } of loads) {
      const start = process.cpuUsage();
      const done = heard(child);
      child.send(calls);
      await done;
      const { user, system } = process.cpuUsage(start);
      // The round before the first only warms up; the least of the others counts, for other work on the machine only ever adds to it.
      if (round >= 0) best.set(name, Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, (user + system) / calls));
    }
  }
  for (const { child } of loads) child.kill();
  const base = best.get("floor") ?? 0;
  for (const [name, cost] of best)
    process.stdout.write(`${name.padEnd(8)} ${cost.toFixed(1).padStart(7)} us CPU a call  ${(cost / base).toFixed(2)} x floor\n`);
  process.exit(0);
}

if (process.argv[2] === "load") await load(Number(process.argv[3]));
else await main();
