/**
 * An OpenAI-compatible model endpoint for tests: a real HTTP server on a free port of the loopback. One rule decides an answer: the script of the
 * path, else the model. Closing it ends every connection, held requests too.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Gate } from "./gate.ts";
import { DEFAULT_MODEL, type FakeModel, modelStep } from "./model.ts";
import { type FakeRequest, type FakeStats, RequestLog } from "./request-log.ts";
import { playStep, type Scripts, type Step, scriptPath } from "./step.ts";

export interface FakeUpstreamOptions {
  scripts?: Scripts;
  model?: Partial<FakeModel>;
  /** What a path without a script gets; default the model. */
  unscripted?: "model" | "not found";
}

export interface FakeUpstream extends AsyncDisposable {
  /** `http://127.0.0.1:<port>/v1`: what a client takes as base URL. */
  readonly url: string;
  readonly origin: string;
  readonly host: string;
  readonly port: number;
  /** May be changed while it runs. */
  readonly model: FakeModel;
  readonly stats: FakeStats;
  /** In order of arrival. */
  readonly requests: readonly FakeRequest[];
  /** Sets the steps of a path, from the first one on. */
  script(path: string, steps: readonly Step[]): void;
  /** Lets no answer out until `release`, on one path or on all. */
  hold(path?: string): void;
  release(path?: string): void;
  /** Resolves when that many requests have arrived since the start or the last `reset`. */
  arrived(count: number): Promise<void>;
  /** Resolves when no request is open. */
  settled(): Promise<void>;
  /** Forgets requests and counts. */
  reset(): void;
  close(): Promise<void>;
}

const HOST = "127.0.0.1";

export async function startFakeUpstream(options: FakeUpstreamOptions = {}): Promise<FakeUpstream> {
  const model: FakeModel = { ...DEFAULT_MODEL, ...options.model };
  const scripts = new Map(Object.entries(options.scripts ?? {}).map(([path, steps]) => [path, { steps, next: 0 }]));
  const log = new RequestLog();
  const everyPath = new Gate();
  const gates = new Map<string, Gate>();
  let modelCalls = 0;

  function stepFor(route: string, body: unknown, text: string): Step {
    const script = scripts.get(route);
    const scripted = script?.steps[Math.min(script.next++, script.steps.length - 1)];
    if (scripted !== undefined) return scripted;
    const step = options.unscripted === "not found" ? undefined : modelStep(model, { route, body, text, call: modelCalls + 1 });
    if (step !== undefined && !route.endsWith("/models")) modelCalls++;
    return step ?? { status: 404, json: { error: { message: `the fake upstream has no answer for ${route}` } } };
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const left = new AbortController();
    response.on("close", () => left.abort());
    const text = await readText(request).catch(() => undefined);
    if (text === undefined) return;
    const route = scriptPath(request.url ?? "");
    const body = parsed(text);
    const ended = log.add({ method: request.method ?? "", path: request.url ?? "", headers: request.headers, body, text }, route);
    const step = stepFor(route, body, text);
    if (step.hold === true) await gateOf(route).pass(left.signal, true);
    else await everyPath.pass(left.signal);
    await gateOf(route).pass(left.signal);
    ended(await playStep(step, response, left.signal), step.status ?? 200);
  }

  function gateOf(path: string): Gate {
    const gate = gates.get(path) ?? new Gate();
    gates.set(path, gate);
    return gate;
  }

  // Requests may wait as long as a test wants them to.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 60_000 }, (request, response) => void answer(request, response));
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    log.stats.accepted++;
    log.stats.connections++;
    socket.on("error", () => undefined);
    socket.on("close", () => {
      sockets.delete(socket);
      log.stats.connections--;
    });
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, HOST, resolve));
  const { port } = server.address() as AddressInfo;

  async function close(): Promise<void> {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  }

  return {
    url: `http://${HOST}:${port}/v1`,
    origin: `http://${HOST}:${port}`,
    host: HOST,
    port,
    model,
    stats: log.stats,
    get requests() {
      return log.requests;
    },
    script: (path, steps) => void scripts.set(path, { steps, next: 0 }),
    hold: (path) => (path === undefined ? everyPath : gateOf(path)).hold(),
    release: (path) => {
      if (path !== undefined) return gateOf(path).release();
      everyPath.release();
      for (const gate of gates.values()) gate.release();
    },
    arrived: (count) => log.until(() => log.requests.length >= count),
    settled: () => log.until(() => log.stats.open === 0),
    reset: () => log.reset(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
