/** Which protocol a connection speaks, told by its first bytes: `PRI` opens HTTP/2 without TLS, anything else is HTTP/1.1. */
import type { Socket } from "node:net";

export interface ProtocolHandlers {
  http1(socket: Socket): void;
  http2(socket: Socket): void;
  /** A connection that does not say within this time what it speaks is closed. */
  timeoutMs: number;
}

/** The start of HTTP/2's preface; no method of HTTP/1.1 begins with it. */
const PREFACE = "PRI";

/** Waits until the protocol is certain, which may take several packets, then hands the connection over with every byte still in it. */
export function detectProtocol(socket: Socket, handlers: ProtocolHandlers): void {
  let start: Buffer | undefined;
  const giveUp = setTimeout(() => socket.destroy(), handlers.timeoutMs);
  const stopWaiting = (): void => clearTimeout(giveUp);

  const onData = (chunk: Buffer): void => {
    start = start === undefined ? chunk : Buffer.concat([start, chunk]);
    const head = start.toString("latin1", 0, PREFACE.length);
    if (head.length < PREFACE.length && PREFACE.startsWith(head)) return;
    socket.off("data", onData);
    socket.off("close", stopWaiting);
    stopWaiting();
    socket.pause();
    socket.unshift(start);
    if (head === PREFACE) {
      // The HTTP/2 session reads what is buffered by itself; a flowing socket would lose it.
      handlers.http2(socket);
    } else {
      handlers.http1(socket);
      socket.resume();
    }
  };
  socket.on("data", onData);
  socket.once("close", stopWaiting);
}
