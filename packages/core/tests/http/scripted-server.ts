/** A real HTTP/1.1 server that answers by script and remembers what reached it. The last step repeats. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export interface Received {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
  /** Number of the connection, from 1. */
  connection: number;
}

export type Step =
  | { status?: number; headers?: Record<string, string | string[]>; body?: string }
  /** Closes the connection with a reset instead of an answer. */
  | "reset"
  /** Begins an answer and closes the connection in the middle of it. */
  | "cut"
  /** Never answers. */
  | "silence"
  | ((request: Received, response: ServerResponse) => void);

export interface ScriptedServer extends AsyncDisposable {
  url: string;
  received: Received[];
  /** Connections accepted so far. */
  connections(): number;
  /** Resolves when `count` requests have come in. */
  arrived(count: number): Promise<void>;
  /** Resolves when the connection of request `index` is closed. */
  closed(index: number): Promise<void>;
}

export async function scriptedServer(...steps: Step[]): Promise<ScriptedServer> {
  const received: Received[] = [];
  const closings: Promise<void>[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const numbers = new WeakMap<Socket, number>();
  const closing = new WeakMap<Socket, Promise<void>>();
  let connections = 0;

  const server = createServer(async (request, response) => {
    closings.push(closing.get(request.socket) as Promise<void>);
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const entry: Received = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      body,
      connection: numbers.get(request.socket) ?? 0,
    };
    const step = steps[Math.min(received.length, steps.length - 1)] as Step;
    received.push(entry);
    for (const { count, resolve } of waiting) if (received.length >= count) resolve();
    play(step, entry, { request, response });
  });
  server.on("connection", (socket) => {
    numbers.set(socket, ++connections);
    closing.set(socket, new Promise((resolve) => socket.once("close", () => resolve())));
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    connections: () => connections,
    arrived: (count) => new Promise((resolve) => (received.length >= count ? resolve() : waiting.push({ count, resolve }))),
    closed: (index) => closings[index] as Promise<void>,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function play(step: Step, entry: Received, { request, response }: { request: IncomingMessage; response: ServerResponse }): void {
  if (step === "reset") request.socket.resetAndDestroy();
  else if (step === "cut") {
    response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
    response.write('{"id": "x', () => request.socket.destroy());
  } else if (typeof step === "function") step(entry, response);
  else if (step !== "silence") {
    response.writeHead(step.status ?? 200, { "content-type": "application/json", ...step.headers });
    response.end(step.body ?? '{"ok":true}');
  }
}
