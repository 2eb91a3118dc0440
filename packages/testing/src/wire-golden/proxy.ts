/**
 * A recording proxy: the public address of one server. It forwards requests and answers byte by byte as they come, and passes on what ends
 * early: a caller that leaves, a target that breaks off.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { OpenExchange, Recorder } from "./recorder.ts";
import type { Address } from "./transcript.ts";

export interface RecordingProxy {
  readonly address: Address;
  /** Requests before that are answered with 502. */
  forwardTo(target: Address): void;
  close(): Promise<void>;
}

export interface ProxyOptions {
  name: string;
  recorder: Recorder;
  /** Value of `CLIENT_HEADER` by which the transcript's client makes itself known. */
  clientMark: string;
  /** The target plays a script: what it breaks off, it was told to. */
  scripted: boolean;
}

/** Says that a request comes from the client of the transcript; never forwarded. */
export const CLIENT_HEADER = "x-ng-wire-client";

const HOST = "127.0.0.1";
/** Ends of an exchange as the transcripts name them. */
const COMPLETE = "complete";
const CALLER_LEFT = "caller went away";

export async function startProxy(options: ProxyOptions): Promise<RecordingProxy> {
  let target: Address | undefined;
  const server = createServer({ requestTimeout: 0 }, (incoming, outgoing) => {
    if (target === undefined) return outgoing.writeHead(502).end();
    forward(incoming, outgoing, target, options);
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, HOST, resolve));
  return {
    address: { host: HOST, port: (server.address() as AddressInfo).port },
    forwardTo: (address) => {
      target = address;
    },
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  target: Address,
  { name, recorder, clientMark, scripted }: ProxyOptions,
): void {
  const exchange = recorder.begin({
    to: name,
    method: incoming.method ?? "",
    path: incoming.url ?? "",
    rawHeaders: incoming.rawHeaders,
    byClient: incoming.headers[CLIENT_HEADER] === clientMark,
  });
  const broke = (how: string): void => {
    exchange.end(scripted ? `scripted: ${how}` : how);
    incoming.socket.destroy();
  };
  // Connections of their own: an end on one side is the end of just this exchange on the other.
  const headers = incoming.rawHeaders.filter(
    (_, at, all) => !/^(?:connection|keep-alive|x-ng-wire-client)$/i.test(all[at - (at % 2)] ?? ""),
  );
  const call = request({
    ...target,
    method: incoming.method,
    path: incoming.url,
    headers: [...headers, "connection", "close"],
    agent: false,
    setHost: false,
  });
  outgoing.on("close", () => {
    if (outgoing.writableFinished) return;
    exchange.end(CALLER_LEFT);
    call.destroy();
  });
  call.on("error", () => broke("connection dropped without an answer"));
  call.on("response", (response) => passOn(response, outgoing, { exchange, broke }));
  const body: Buffer[] = [];
  incoming.on("data", (chunk: Buffer) => body.push(chunk));
  incoming.on("error", () => call.destroy());
  incoming.on("end", () => {
    exchange.requested(Buffer.concat(body));
    call.end(Buffer.concat(body));
  });
}

function passOn(
  response: IncomingMessage,
  outgoing: ServerResponse,
  { exchange, broke }: { exchange: OpenExchange; broke: (how: string) => void },
): void {
  const status = response.statusCode ?? 0;
  exchange.answered(status, response.rawHeaders);
  const own = response.rawHeaders.filter(
    (_, at, all) => !/^(?:connection|keep-alive|transfer-encoding|date)$/i.test(all[at - (at % 2)] ?? ""),
  );
  outgoing.writeHead(status, own);
  outgoing.flushHeaders();
  response.on("data", (chunk: Buffer) => {
    exchange.chunk(chunk);
    outgoing.write(chunk);
  });
  // The end is recorded before the caller sees it: what the caller does next is no longer inside this exchange.
  response.on("end", () => {
    exchange.end(COMPLETE);
    outgoing.end();
  });
  response.on("error", () => broke("body cut short"));
}
