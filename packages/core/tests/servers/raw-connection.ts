/** A TCP connection that sends what it is told, byte by byte if need be, and keeps what comes back. */
import { connect } from "node:net";

export interface RawConnection extends AsyncDisposable {
  send(bytes: string | Buffer, encoding?: BufferEncoding): Promise<void>;
  /** Sends one byte again and again, so that the connection is never idle; ends by itself when the other side closes. */
  drip(byte: string, everyMs: number): void;
  /** What has come back, as latin1, once it holds `text`. */
  until(text: string): Promise<string>;
  /** Everything that came back, once the other side closed. */
  closed: Promise<string>;
}

export async function rawConnection(port: number): Promise<RawConnection> {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true, allowHalfOpen: true });
  let received = "";
  let dripping: NodeJS.Timeout | undefined;
  let onData = (): void => {};
  const closed = new Promise<string>((resolve) => {
    for (const event of ["end", "close"] as const) {
      socket.once(event, () => {
        clearInterval(dripping);
        resolve(received);
        socket.destroy();
      });
    }
  });
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    received += chunk.toString("latin1");
    onData();
  });
  await new Promise<void>((resolve) => socket.once("connect", () => resolve()));
  return {
    closed,
    send: (bytes, encoding = "utf8") => new Promise((resolve) => socket.write(bytes, encoding, () => resolve())),
    drip(byte, everyMs) {
      dripping = setInterval(() => socket.write(byte), everyMs);
    },
    until: (text) =>
      new Promise((resolve) => {
        onData = () => {
          if (received.includes(text)) resolve(received);
        };
        onData();
      }),
    async [Symbol.asyncDispose]() {
      socket.destroy();
      await closed;
    },
  };
}
