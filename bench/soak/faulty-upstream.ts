/**
 * A model endpoint with faults by chance: resets, 429 with Retry-After, 500, and calls that it never answers. What it does answer is right, so that every
 * reward other than 1 is a fault that coloured a score. One seed, one sequence of faults.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export interface FaultRates {
  reset: number;
  busy: number;
  broken: number;
  silent: number;
}

export interface FaultyUpstreamOptions {
  rates: FaultRates;
  /** Least and longest time to an answer. */
  latencyMs: readonly [number, number];
  seed?: number;
}

export interface UpstreamCounts extends FaultRates {
  calls: number;
  answered: number;
  /** The caller left before its answer. */
  left: number;
  open: number;
}

export interface FaultyUpstream extends AsyncDisposable {
  readonly url: string;
  /** Live; `clear` sets all but `open` to 0. */
  readonly counts: UpstreamCounts;
  clear(): void;
}

const ANSWER = JSON.stringify({
  id: "resp_soak",
  object: "response",
  created_at: 0,
  model: "soak",
  status: "completed",
  output: [
    {
      id: "msg_soak",
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "\\boxed{B}", annotations: [] }],
    },
  ],
  parallel_tool_calls: true,
  tool_choice: "auto",
  tools: [],
});
const MODELS = JSON.stringify({ object: "list", data: [{ id: "soak", object: "model", created: 0, owned_by: "soak" }] });
const JSON_TYPE = { "content-type": "application/json" };

export async function startFaultyUpstream(options: FaultyUpstreamOptions): Promise<FaultyUpstream> {
  const random = mulberry32(options.seed ?? 1);
  const counts: UpstreamCounts = { calls: 0, answered: 0, reset: 0, busy: 0, broken: 0, silent: 0, left: 0, open: 0 };
  const { rates, latencyMs } = options;

  function faultOf(draw: number): keyof FaultRates | undefined {
    let bound = 0;
    for (const fault of ["reset", "busy", "broken", "silent"] as const) {
      bound += rates[fault];
      if (draw < bound) return fault;
    }
    return undefined;
  }

  function play(fault: Exclude<keyof FaultRates, "silent"> | undefined, request: IncomingMessage, response: ServerResponse): void {
    if (fault === "reset") request.socket.resetAndDestroy();
    else if (fault === "busy") response.writeHead(429, { ...JSON_TYPE, "retry-after": "1" }).end('{"error":{"message":"slow down"}}');
    else if (fault === "broken") response.writeHead(500, JSON_TYPE).end('{"error":{"message":"out of luck"}}');
    else {
      counts.answered++;
      response.writeHead(200, JSON_TYPE).end(ANSWER);
    }
  }

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const fault = faultOf(random());
    const latency = latencyMs[0] + random() * (latencyMs[1] - latencyMs[0]);
    counts.calls++;
    counts.open++;
    if (fault !== undefined) counts[fault]++;
    const timer = fault === "silent" ? undefined : setTimeout(() => play(fault, request, response), latency);
    response.once("close", () => {
      counts.open--;
      if (!response.writableEnded && fault !== "reset") counts.left++;
      clearTimeout(timer);
    });
  }

  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    request.resume();
    if (request.method === "GET") return void response.writeHead(200, JSON_TYPE).end(MODELS);
    request.once("end", () => answer(request, response));
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    counts,
    clear: () => void Object.assign(counts, { calls: 0, answered: 0, reset: 0, busy: 0, broken: 0, silent: 0, left: 0 }),
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** A small generator with a seed (Tommy Ettinger's mulberry32): the same draws in every run. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
