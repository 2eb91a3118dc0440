/** HTTP/2 frames, byte by byte: what a library would not send. */

export const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

export const TYPE = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  window: 8,
  continuation: 9,
};
export const END_STREAM = 1;
export const END_HEADERS = 4;

export function frame(type: number, flags = 0, stream = 0, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A header as a literal that no table keeps; name and value are shorter than 127 bytes. */
export function literal(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([0, name.length]), Buffer.from(name), Buffer.from([value.length]), Buffer.from(value)]);
}

const GET = 0x82;
const POST = 0x83;
const HTTP = 0x86;

export function head(method: "GET" | "POST", ...more: Buffer[]): Buffer {
  return Buffer.concat([Buffer.from([method === "GET" ? GET : POST, HTTP]), literal(":path", "/x"), literal(":authority", "h"), ...more]);
}

export function integer(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** `count` frames in packets of a hundred. */
export function many(count: number, make: (n: number) => Buffer): Buffer[] {
  return Array.from({ length: Math.ceil(count / 100) }, (_, packet) =>
    Buffer.concat(Array.from({ length: Math.min(100, count - packet * 100) }, (_, n) => make(packet * 100 + n))),
  );
}
