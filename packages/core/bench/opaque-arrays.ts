/**
 * What an answer with the arrays of 65,536 tokens costs a hop: CPU in milliseconds of a server that asks the next one over HTTP/2, reads the answer as
 * a value, checks it and answers with it. Beside it a relay that hands bytes on unread, in the same run, and what is left between the two.
 *
 *   node packages/core/bench/opaque-arrays.ts [answers a round, default 40] [rounds, default 5]
 */
import { type ClientHttp2Session, connect, createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { createServerClient, type Endpoint } from "../src/http/index.ts";
import { parseResponse } from "../src/protocol/index.ts";
import { listen } from "../src/servers/listener.ts";

const ANSWERS = Number(process.argv[2] ?? 40);
const ROUNDS = Number(process.argv[3] ?? 5);
const TOKENS = 65_536;
/** Numbers of the routing array: its length is what brings the answer to about 2 MB. */
const ROUTED_TOKENS = 50_000;

const number = (n: number): number => (n * 2_654_435_761) % 128_256;
const ids = (count: number): string => `[${Array.from({ length: count }, (_, n) => number(n)).join(",")}]`;
const logProbs = `[${Array.from({ length: TOKENS }, (_, n) => -(number(n) / 60_000).toFixed(8)).join(",")}]`;
const routed = `[${Array.from({ length: ROUTED_TOKENS }, (_, n) => `[[${n % 128},${(n * 7) % 128}],[${(n * 3) % 128},${(n * 5) % 128}]]`).join(",")}]`;
const item = [
  '{"id":"msg_1","type":"message","role":"assistant","status":"completed"',
  `"content":[{"type":"output_text","text":${JSON.stringify("A line of an answer. ".repeat(400))},"annotations":[]}]`,
  `"prompt_token_ids":${ids(2_000)},"generation_token_ids":${ids(TOKENS)},"generation_log_probs":${logProbs},"routed_experts":${routed}}`,
].join(",");
const ANSWER = `{"id":"resp_1","created_at":1,"model":"m","object":"response","output":[${item}],"parallel_tool_calls":true,"tool_choice":"auto","tools":[]}`;
const BYTES = Buffer.from(ANSWER);

/** Asks the chain once. */
type Ask = () => Promise<number>;

async function readAll(session: ClientHttp2Session): Promise<Buffer> {
  const stream = session.request({ ":path": "/v1/responses", ":method": "POST" });
  stream.end("{}");
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Bare relays: bytes in, bytes out. */
async function floor(hops: number): Promise<Ask> {
  let next: ClientHttp2Session | undefined;
  for (let hop = 0; hop <= hops; hop++) {
    const behind = next;
    const server = createServer();
    server.on("stream", (stream) => {
      stream.resume();
      stream.on("end", async () => {
        const bytes = behind === undefined ? BYTES : await readAll(behind);
        stream.respond({ ":status": 200, "content-type": "application/json" });
        stream.end(bytes);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    next = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }
  return async () => (await readAll(next as ClientHttp2Session)).length;
}

/** Servers of ours. `value`: the answer is read, checked and written; `text`: it is handed on as it came. */
async function ours(hops: number, form: "value" | "text"): Promise<Ask> {
  let port = 0;
  const clientTo = (target: number) => createServerClient({ addressOf: () => ({ url: `http://127.0.0.1:${target}`, h2c: true }) });
  const call = { kind: "model", path: "/v1/responses", body: {} } as const;
  const leaf: Endpoint = {
    handle: async () => ({ status: 200, body: null, text: BYTES, headers: { "content-type": "application/json" } }),
  };
  ({ port } = await listen(leaf, { host: "127.0.0.1", port: 0 }));
  for (let hop = 0; hop < hops; hop++) {
    const next = clientTo(port);
    const endpoint: Endpoint = {
      async handle() {
        const reply = await next.call("next", call);
        if (form === "text") return { status: 200, body: null, text: reply.content(), headers: { "content-type": "application/json" } };
        const checked = parseResponse(reply.json());
        if (!checked.ok) throw new Error(JSON.stringify(checked.issues));
        return { status: 200, body: checked.value };
      },
    };
    ({ port } = await listen(endpoint, { host: "127.0.0.1", port: 0 }));
  }
  const client = clientTo(port);
  return async () => (await client.call("first", call)).text().length;
}

/** Milliseconds of CPU an answer. */
async function measure(ask: Ask): Promise<number> {
  const start = process.cpuUsage();
  for (let n = 0; n < ANSWERS; n++) if ((await ask()) < BYTES.length) throw new Error("the answer lost something on its way");
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000 / ANSWERS;
}

const HOPS = [0, 1, 3];
const kinds: [string, (hops: number) => Promise<Ask>][] = [
  ["floor", floor],
  ["text", (hops) => ours(hops, "text")],
  ["value", (hops) => ours(hops, "value")],
];
const chains = new Map<string, Ask>();
const best = new Map<string, number>();
for (const [kind, make] of kinds) for (const hops of HOPS) chains.set(`${kind} ${hops}`, await make(hops));
for (const ask of chains.values()) await measure(ask);
// The least of the rounds: other work on the machine only ever adds to it.
for (let round = 0; round < ROUNDS; round++)
  for (const [name, ask] of chains) best.set(name, Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, await measure(ask)));

const perHop = (kind: string, hops: number): number => ((best.get(`${kind} ${hops}`) ?? 0) - (best.get(`${kind} 0`) ?? 0)) / hops;
process.stdout.write(`${(BYTES.length / 1e6).toFixed(2)} MB, ${TOKENS} tokens; CPU ms a hop, through 1 and through 3 hops\n`);
for (const [kind] of kinds) {
  const costs = [1, 3].map(
    (hops) => `${perHop(kind, hops).toFixed(2).padStart(6)}  (floor + ${(perHop(kind, hops) - perHop("floor", hops)).toFixed(2)})`,
  );
  process.stdout.write(`${kind.padEnd(6)} ${costs.join("  ")}\n`);
}
process.exit(0);
